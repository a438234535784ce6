"""repro(actual, expected, folder): the op at fault as a stand-alone script, small enough for an issue.

The ops behind the suspicious value are taken from both traces and written out as calls of PyTorch; nothing else of the two programs is
needed. Then everything is made smaller that can be while the difference stays: axes are halved, values replaced by random numbers.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..errors import InputError
from ..files import unwritable, write_file
from ..ops import bounded
from ..ops.evaluation import Unknown
from ..process.border import answered
from ..traces import Ref, Step, Trace, read_trace
from .chain import Chain
from .conclusion import walk_traces
from .ledger import Suspect
from .replayable import approved, call_of, constant_of, dtype_named
from .reproduction import Program, Reproduction
from .script import script_of, values_file
from .versions import Version
from .walker import Walker

STAYS = 0.5
"""The difference stays if its share of the result is at least this much of what it was: halving an axis changes a sum's size by a root of
two."""

STANDS_OUT = 8.0
"""A difference this many times the error that `expected` itself has against float64 stands out: rounding in another order makes up to 3."""

SMALLEST = 2
"""Axes are not made shorter than this, so that the script still shows a tensor."""


@answered
def repro(
    actual: Trace | str | os.PathLike[str],
    expected: Trace | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    declared: str | None = None,
    rename: Mapping[str, str] | None = None,
    run: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Path:
    """Write a script that shows the first op that adds more than rounding, with only PyTorch in it.

    Args:
        actual, expected: two traces of level "tensors", or their folders. They are data: only ops of a closed table are called, and names
            from them reach the script as literals.
        folder: gets repro.py, values.safetensors where the values matter, and issue.md, which has the script ready to be pasted.
        run: whether the script is run once it is written, so that issue.md has its output and the versions too.
        declared, rename, progress: see `locate`.

    Returns:
        The path of the script.

    Raises:
        InputError: nothing adds more than rounding, or the op can't be called by itself.
    """
    target = _own_folder(folder)
    traces = [trace if isinstance(trace, Trace) else read_trace(Path(trace)) for trace in (actual, expected)]
    walker, walk = walk_traces(traces[0], traces[1], declared=declared, rename=rename, progress=progress)
    right = walk.standing
    if not right:
        raise InputError(
            "Got two traces in which no op adds more than rounding. Needed: an op at fault. There is nothing to reproduce. "
            "Run `halfulp locate` on them to see the largest differences."
        )
    point = right[0].point
    with bounded.limited(*traces):
        made, size = None, None
        with contextlib.suppress(Unknown, RecursionError):  # a chain of a thousand ops is no small example either
            made = _extracted(walker, right[0])
            size = _difference(made)
        if made is None or size is None:
            raise InputError(
                f"Got {right[0].step.op[:80]}, which can't run alone here. Needed: an op that PyTorch can call on recorded numbers. "
                "Either not all of its arguments were recorded, or halfulp can't run this op. Reproduce it from the module that "
                "`halfulp locate` names."
            )
        made = _smaller(made, size, progress)
        made = _of_random_numbers(made, size)
        text = script_of(made, point)
    values = {n: tensor for n, tensor in made.tensors.items() if n not in made.random}
    if values or made.recorded is not None:
        write_file(target / "values.safetensors", values_file(values, made.recorded))
    script = write_file(target / "repro.py", text)
    output = ""
    if run:
        if progress is not None:
            progress(f"running {script.name}, which calls {', '.join(ops_of(made))}")
        ran = subprocess.run([sys.executable, "-W", "ignore", script.name], cwd=target, capture_output=True, text=True, check=False)
        output = _fenced(f"$ python repro.py\n{ran.stdout or ran.stderr}") + "\n"
    write_file(target / "issue.md", output + _fenced(text, "python"))
    return script


OWN_FILES = ("repro.py", "values.safetensors", "issue.md")
"""What `repro` writes."""


def _own_folder(folder: str | os.PathLike[str]) -> Path:
    """The folder, if it holds nothing that `repro` does not write: Python imports files that lie beside a script, and links lead elsewhere.

    Raises:
        InputError: something else is.
    """
    target = Path(folder)
    try:
        strange = [file.name for file in target.iterdir() if file.name not in OWN_FILES or not file.is_file() or file.is_symlink()]
    except FileNotFoundError:
        return target
    except OSError as error:
        raise unwritable(target, error) from error
    if strange:
        raise InputError(
            f"Got the folder {target}, which holds {sorted(strange)[0][:80]!r}. Needed: an empty folder, or one that repro wrote. Python "
            "imports files that lie beside a script, and writing through a link would change another file. Choose another folder with -o."
        )
    return target


def ops_of(made: Reproduction) -> list[str]:
    """The ops that the script calls."""
    return list(dict.fromkeys(str(call_of(step)) for program in (made.expected, made.actual) for step in program.steps))


def _fenced(text: str, language: str = "") -> str:
    """A block of Markdown that nothing in the text can end."""
    longest = max((len(item) for item in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _extracted(walker: Walker, suspect: Suspect) -> Reproduction:
    """The ops and tensors on both sides of a suspect."""
    tensors: dict[int, torch.Tensor] = {}
    wanted = Program(result=suspect.number)
    _collect_expected(walker, suspect.step, wanted, tensors)
    candidate = suspect.candidate
    got = Program(result=-1 - candidate)
    chain = Chain(walker, candidate)
    if chain.exact() is not None:
        for index in sorted(chain.steps):
            got.steps.append(_negated(chain.steps[index]))
        made = {n for step in got.steps for n in step.outputs if n is not None}
        for step in got.steps:
            for n in step.inputs:
                if n not in made:
                    tensors[n] = _tensor(walker.actual, -1 - n, walker.actual_values.number(-1 - n))
    recorded = _tensor(walker.actual, candidate, walker.actual_values.number(candidate))
    found = Reproduction(tensors, got, wanted, recorded)
    own = _run(found, got, None)
    if own is not None and own.shape == recorded.shape and _apart(own, recorded) <= 1e-3 * _apart(recorded, _run(found, wanted, None)):
        return replace(found, recorded=None)
    return replace(found, actual=Program())


def _collect_expected(walker: Walker, step: Step, into: Program, tensors: dict[int, torch.Tensor]) -> None:
    """The op and what it reads: recorded values, or ops whose results `actual` does not have."""
    for number in step.inputs:
        version: Version = walker.version_of(number)
        if number in tensors or any(number in step.outputs for step in into.steps):
            continue
        if version.number is None and version.made_by is not None and not version.identical:
            _collect_expected(walker, version.made_by[0].step, into, tensors)
            continue
        source = walker.actual_values.number(version.number) if version.number is not None else walker.expected_values.number(number)
        tensors[number] = _tensor(walker.expected, number, source)
    into.steps.append(step)


def _tensor(trace: Trace, number: int, values: np.ndarray[Any, Any]) -> torch.Tensor:
    value = trace.values[number]
    return torch.from_numpy(np.ascontiguousarray(values)).reshape(value.shape).to(dtype_named(value.dtype))


def _negated(step: Step) -> Step:
    """A step of `actual` with numbers that can't be taken for those of `expected`."""

    def visit(tree: Any) -> Any:
        if isinstance(tree, Ref):
            return Ref(-1 - tree.number)
        if isinstance(tree, dict):
            return {key: visit(part) for key, part in tree.items()}
        return [visit(part) for part in tree] if isinstance(tree, (list, tuple)) else tree

    outputs = tuple(None if output is None else -1 - output for output in step.outputs)
    return replace(step, arguments=tuple(visit(step.arguments)), keywords=visit(step.keywords), outputs=outputs)


# Running


def _run(made: Reproduction, program: Program, precision: torch.dtype | None) -> torch.Tensor | None:
    """The program's result; with a precision, all floating-point numbers and dtypes are that. None where it does not run."""
    values = {n: _lifted(tensor, precision).clone() for n, tensor in made.tensors.items()}
    try:
        with torch.no_grad():
            for step in program.steps:
                arguments = [_filled(argument, values, precision) for argument in step.arguments]
                keywords = {key: _filled(keyword_, values, precision) for key, keyword_ in step.keywords.items()}
                call = approved(step, arguments, keywords)
                result = call(*arguments, **keywords)
                flat = list(result) if isinstance(result, (tuple, list)) else [result]
                flat += [tensor for tensor in overwritten(call, arguments, keywords) if not any(tensor is other for other in flat)]
                values.update({n: item for n, item in zip(step.outputs, flat) if n is not None and isinstance(item, torch.Tensor)})
    except Exception:  # ops that are not here, sizes that no longer fit
        return None
    return values.get(program.result)


def overwritten(call: Any, arguments: Any, keywords: Any) -> list[torch.Tensor]:
    """The tensors that an op writes to, in the order of its schema."""
    found: list[torch.Tensor] = []
    for place, argument in enumerate(call._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = arguments[place] if place < len(arguments) else keywords.get(argument.name)
            found += [part for part in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(part, torch.Tensor)]
    return found


def _lifted(tensor: torch.Tensor, precision: torch.dtype | None) -> torch.Tensor:
    return tensor.to(precision) if precision is not None and tensor.is_floating_point() else tensor


def _filled(tree: Any, values: Mapping[int, torch.Tensor], precision: torch.dtype | None) -> Any:
    if isinstance(tree, Ref):
        return values[tree.number]
    if isinstance(tree, dict):
        if tree.keys() == {"dtype"}:
            found = dtype_named(tree["dtype"])
            return precision if precision is not None and found.is_floating_point else found
        return torch.device("cpu") if tree.keys() == {"device"} else constant_of(tree)
    return [_filled(part, values, precision) for part in tree] if isinstance(tree, (list, tuple)) else tree


def _apart(first: torch.Tensor, second: torch.Tensor | None) -> float:
    if second is None or first.numel() != second.numel():
        return float("inf")
    return float((first.double().reshape(-1) - second.double().reshape(-1)).square().mean().sqrt())


def _difference(made: Reproduction) -> float | None:
    """The error of `actual` over the size of the result, against `expected` in float64; None where it does not stand out."""
    reference = _run(made, made.expected, torch.float64)
    expected_result = _run(made, made.expected, None)
    actual_result = made.recorded if made.recorded is not None else _run(made, made.actual, None)
    if reference is None or expected_result is None or actual_result is None or actual_result.numel() != reference.numel():
        return None
    size = float(reference.double().square().mean().sqrt())
    error, own = _apart(actual_result, reference), _apart(expected_result, reference)
    if not size or error <= STANDS_OUT * own or not np.isfinite(error):
        return None if np.isfinite(error) else float("inf")
    return error / size


# Making it smaller


def _smaller(made: Reproduction, size: float, progress: Callable[[str], None] | None) -> Reproduction:
    """Halve all axes of one length together, as often as the difference stays; longest first."""
    while True:
        lengths = sorted({n for tensor in made.tensors.values() for n in tensor.shape if n > SMALLEST}, reverse=True)
        for length in lengths:
            shorter = max(SMALLEST, length // 2)
            tried = _cut(made, length, shorter)
            if progress is not None:
                progress(f"making it smaller: cutting axes from {length} to {shorter}")
            if _still(tried, size):
                made = tried
                break
        else:
            return made


def _still(made: Reproduction, size: float) -> bool:
    found = _difference(made)
    if found is None:
        return False
    upper = float("inf") if made.recorded is None else size / STAYS  # recorded numbers must go on belonging to what is computed
    return STAYS * size <= found <= upper


def _cut(made: Reproduction, length: int, shorter: int) -> Reproduction:
    def cut(tensor: torch.Tensor) -> torch.Tensor:
        for axis, n in enumerate(tensor.shape):
            if n == length:
                tensor = tensor.narrow(axis, 0, shorter)
        return tensor.contiguous()

    def sizes(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {key: sizes(part) for key, part in tree.items()}
        if isinstance(tree, (list, tuple)):
            return [shorter if isinstance(part, int) and not isinstance(part, bool) and part == length else sizes(part) for part in tree]
        return tree

    def program(old: Program) -> Program:
        return Program(
            [replace(step, arguments=tuple(sizes(step.arguments)), keywords=sizes(step.keywords)) for step in old.steps], old.result
        )

    tensors = {n: _bounded(cut(tensor), length, shorter) for n, tensor in made.tensors.items()}
    return Reproduction(tensors, program(made.actual), program(made.expected), None if made.recorded is None else cut(made.recorded))


def _bounded(tensor: torch.Tensor, length: int, shorter: int) -> torch.Tensor:
    """Indices into what was cut stay inside it."""
    return tensor % shorter if tensor.dtype == torch.int64 and tensor.numel() and int(tensor.max()) < length else tensor


def _of_random_numbers(made: Reproduction, size: float) -> Reproduction:
    """Random numbers of the same mean and spread instead of the recorded ones, tensor by tensor, where the difference stays."""
    if made.recorded is not None:
        return made
    for number, tensor in list(made.tensors.items()):
        if (
            not tensor.is_floating_point()
            or tensor.numel() < 2
            or any(_same(tensor, known, n, number) for n, known in made.tensors.items())
        ):
            continue  # a tensor that both sides read stays the same on both sides
        mean, spread = float(f"{float(tensor.double().mean()):.3g}"), float(f"{float(tensor.double().std()):.3g}")
        tried = replace(made, tensors={**made.tensors, number: drawn(number, tensor.shape, tensor.dtype, mean, spread)})
        if _still(tried, size):
            made = replace(tried, random={**made.random, number: (mean, spread)})
    return made


def _same(tensor: torch.Tensor, other: torch.Tensor, number: int, own: int) -> bool:
    return number != own and tensor.shape == other.shape and tensor.dtype == other.dtype and bool(torch.equal(tensor, other))


def drawn(number: int, shape: Any, dtype: torch.dtype, mean: float, spread: float) -> torch.Tensor:
    """The random numbers that the script draws for a tensor."""
    generator = torch.Generator().manual_seed(abs(number))
    return (torch.randn(tuple(shape), generator=generator, dtype=torch.float64) * spread + mean).to(dtype)
