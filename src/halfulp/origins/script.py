"""A reproduction as a Python script with only PyTorch in it, and its numbers as a safetensors file that the script reads by itself.

What a trace says reaches the script in two ways only: as literals (`literal`), and as names that PyTorch itself has: ops of the table in
`replayable`, argument names of their schemas, dtypes and memory formats.
"""

from __future__ import annotations

import ast
import json
import math
from typing import Any

import torch

from ..cases.raw_bytes import raw_bytes
from ..ops.evaluation import NotReplayed
from ..traces import Ref
from ..traces.shards import SAFETENSORS_NAMES
from .origin import Point
from .place import op_in
from .replayable import call_of, constant_of, dtype_named
from .reproduction import Program, Reproduction

_HEADER = """{title}

import platform
{imports}
import torch

print("torch", torch.__version__, "| Python", platform.python_version(), "|", platform.system(), platform.machine())
"""

_READER = '''

def stored(path):
    """The tensors of a safetensors file beside this one."""
    data = (Path(__file__).parent / path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    for name, entry in json.loads(data[8 : 8 + length]).items():
        name, dtype = name.split("|")
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        flat = torch.tensor(list(data[start:end]), dtype=torch.uint8)
        yield name, flat.view(getattr(torch, dtype)).reshape(entry["shape"])


'''

_ENDING = """

reference = expected(torch.float64).double().flatten()
expected_result, actual_result = expected().double().flatten(), actual().double().flatten()
size = reference.square().mean().sqrt()
print("result:   rms", f"{size.item():.3e},", reference.numel(), "element" if reference.numel() == 1 else "elements")
print("expected: relative error against float64", f"{((expected_result - reference).square().mean().sqrt() / size).item():.3e}")
print("actual:   relative error against float64", f"{((actual_result - reference).square().mean().sqrt() / size).item():.3e}")
worst = (actual_result - reference).abs().argmax()
print("worst element:", int(worst))
for name, values in (("float64", reference), ("expected", expected_result), ("actual", actual_result)):
    print(f"  {name:<9}", f"{values[worst].item():.9g}")
"""


def values_file(tensors: dict[int, torch.Tensor], recorded: torch.Tensor | None) -> bytes:
    """The tensors in the safetensors format, named "NAME|DTYPE"."""
    named = {_name(number): tensor for number, tensor in tensors.items()}
    if recorded is not None:
        named["recorded"] = recorded
    header: dict[str, Any] = {}
    data = b""
    for name, tensor in named.items():
        dtype = str(tensor.dtype).removeprefix("torch.")
        raw = bytes(raw_bytes(tensor))
        header[f"{name}|{dtype}"] = {
            "dtype": SAFETENSORS_NAMES[dtype],
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def script_of(made: Reproduction, point: Point) -> str:
    """The whole script."""
    stored = [n for n in made.tensors if n not in made.random]
    needs_file = bool(stored) or made.recorded is not None
    verdict = point.verdict.meaning if point.verdict is not None else "more than rounding"
    because = (
        (point.note[0].upper() + point.note[1:] + ".") if point.note else "The result of `actual` is further off than rounding can explain."
    )
    title = (
        f"{op_in(point.op, point.module)}, {point.phase}: {verdict}. {because} Written by "
        f"halfulp from two recordings. It needs only PyTorch{(' and values.safetensors' if needs_file else '')}."
    )
    parts = [_HEADER.format(title=literal(title), imports="import json\nfrom pathlib import Path\n" if needs_file else "")]
    if needs_file:
        parts.append(_READER)
        parts.append('tensors = dict(stored("values.safetensors"))\n')
    else:
        parts.append("\ntensors = {}\n")
    for number, (mean, spread) in made.random.items():
        shape, dtype = tuple(made.tensors[number].shape), made.tensors[number].dtype
        parts.append(
            f'tensors["{_name(number)}"] = (torch.randn({shape}, generator=torch.Generator().manual_seed({abs(number)}), '
            f"dtype=torch.float64) * {spread} + {mean}).to({dtype})\n"
        )
    parts.append(_function("expected", made.expected))
    if made.recorded is None:
        parts.append(_function("actual", made.actual))
    else:
        parts.append(
            '\n\ndef actual():\n    """The recorded result: its ops do not reproduce it here."""\n    return tensors["recorded"]\n'
        )
    return "".join((*parts, _ENDING))


def _function(name: str, program: Program) -> str:
    made = {n for step in program.steps for n in step.outputs if n is not None}
    given = sorted({n for step in program.steps for n in step.inputs if n not in made}, key=abs)
    lines = [f"\n\ndef {name}(precision=None):"]
    for number in given:
        lines.append(f'    {_name(number)} = tensors["{_name(number)}"].clone()')
        lines.append(
            f"    {_name(number)} = {_name(number)}.to(precision) if precision and {_name(number)}.is_floating_point() else {_name(number)}"
        )
    for step in program.steps:
        call = call_of(step)
        known = {argument.name for argument in call._schema.arguments}
        if not known.issuperset(step.keywords):
            raise NotReplayed(f"{call.name()}: it has no argument {', '.join(map(repr, step.keywords.keys() - known))[:80]}")
        arguments = [_written(argument) for argument in step.arguments] + [
            f"{key}={_written(keyword_)}" for key, keyword_ in step.keywords.items()
        ]
        lines.append(f"    result = torch.ops.{call}({', '.join(arguments)})")
        lines.append("    result = result if isinstance(result, (tuple, list)) else (result,)")
        for place, number in enumerate(step.outputs):
            if number is None:
                continue
            written = _overwriting(step)
            target = written.get(place, f"result[{place}]")
            lines.append(f"    {_name(number)} = {target}")
    lines.append(f"    return {_name(program.result)}")
    return "\n".join(lines) + "\n"


def _overwriting(step: Any) -> dict[int, str]:
    """Outputs that are arguments which the op overwrote: place -> name."""
    call, name = call_of(step), step.op.split(".")[1]
    returned = len(call._schema.returns)
    written: list[str] = []
    for place, argument in enumerate(call._schema.arguments):
        value = step.arguments[place] if place < len(step.arguments) else step.keywords.get(argument.name)
        is_written = argument.alias_info is not None and argument.alias_info.is_write
        if (is_written or (name == "native_batch_norm" and place in (3, 4))) and isinstance(value, Ref):
            written.append(_name(value.number))
    return {place: written[place - returned] for place in range(returned, len(step.outputs)) if place - returned < len(written)}


def _name(number: int) -> str:
    return f"e{number}" if number >= 0 else f"a{-1 - number}"


def _written(tree: Any) -> str:
    if isinstance(tree, Ref):
        return _name(tree.number)
    if isinstance(tree, (list, tuple)):
        return "[" + ", ".join(_written(part) for part in tree) + "]"
    if isinstance(tree, dict):
        if tree.keys() == {"dtype"}:
            found = dtype_named(tree["dtype"])
            return f"(precision or {found})" if found.is_floating_point else str(found)
        return "'cpu'" if tree.keys() == {"device"} else str(constant_of(tree))
    return literal(tree)


def literal(value: Any) -> str:
    """A constant as Python writes it, read back by Python's parser: nothing but this constant can come of it.

    Raises:
        NotReplayed: it is no constant that can be written so.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    text = repr(value)
    try:
        if ast.literal_eval(text) == value and type(value) in (str, int, float, bool, complex, type(None)):
            return text
    except (ValueError, SyntaxError):
        pass
    raise NotReplayed(f"an argument of type {type(value).__name__} can't be written as a constant")
