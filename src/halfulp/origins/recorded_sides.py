"""locate for two callables: record both, walk the traces, and check the op that was found by running it."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..arguments import arguments_of, taken_as
from ..cases import Case
from ..cases.dependencies import eager_of
from ..cases.inputs import copied, on_device
from ..cases.sides import Side, misses_gradients, repeatable, taken_apart
from ..containers import named_in
from ..errors import HalfulpError, RunError, shortened
from ..floats import FLOAT32, FORMATS
from ..recording import record
from ..recording.exported import ExportedFunction
from ..recording.statements import watched
from ..recording.transcript import transcribe
from ..traces import Trace
from .conclusion import is_made_elsewhere, locate_in_traces
from .evidence import UNKNOWN_FORMULA
from .origin import Origin
from .python_numbers import place_of_numbers
from .whole import with_the_whole


def locate_in_functions(
    actual: Callable[..., Any],
    expected: Callable[..., Any],
    inputs: Any,
    *,
    declared: str | None = None,
    gradients: bool = False,
    rename: Mapping[str, str] | None = None,
    keywords: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Origin:
    """`locate` for two callables; see there."""
    with tempfile.TemporaryDirectory(prefix="halfulp-") as folder:
        arguments, named = arguments_of(inputs, keywords, (_callable(actual), _callable(expected)))

        def traced(name: str, function: Callable[..., Any]) -> Trace:
            path = Path(folder) / f"{name}-{len(list(Path(folder).iterdir()))}.trace"
            return _recorded(name, function, arguments, named, path, gradients, seed, progress, taken_as(inputs, named))

        actual_trace = traced("actual", actual)
        with taken_apart() if hasattr(actual, "record") else contextlib.nullcontext():  # a backend has no fast paths of PyTorch's
            expected_trace = traced("expected", expected)
        origin = locate_in_traces(actual_trace, expected_trace, declared=declared, rename=rename, progress=progress)

        formats = [FORMATS[value.dtype] for value in expected_trace.values if value.dtype in FORMATS]
        finest = max(formats, key=lambda format: format.precision_bits, default=FLOAT32)

        def case() -> Case:
            return Case(
                _callable(actual),
                _callable(expected),
                arguments,
                declared=declared,
                keywords=named,
                gradients=gradients,
                seed=seed,
            )

        eager = eager_of(actual)
        is_doubtful = origin.acceptable is False or any(point.note == UNKNOWN_FORMULA for point in origin.walk)
        if eager is not actual and is_doubtful:
            # Compiled code shows little of its inside. If the same fault is there before compiling, it is seen there.
            uncompiled = locate_in_traces(traced("actual", eager), expected_trace, declared=declared, rename=rename, progress=progress)
            if uncompiled.acceptable is False:
                origin = _noted(uncompiled, "actual is compiled; the program has the same fault before compiling, and it was located there")
            elif origin.acceptable is False:
                origin = _noted(origin, "actual is compiled; before compiling no op adds more than rounding, so compiling adds the error")
        return with_the_whole(origin, case, finest, progress)


def walked(case: Case, *, ends: Callable[[], bool], progress: Callable[[str], None]) -> Origin:
    """What the walk alone finds in a case that was judged already.

    Args:
        case: its sides are recorded as they run without compiling. ends: asked before each op whether the walk is to end there.
        progress: called with a word about what is going on.

    Raises:
        HalfulpError: a side that can't be recorded.
    """
    with tempfile.TemporaryDirectory(prefix="halfulp-") as folder:
        traces: list[Trace] = []
        for side in (case.actual, case.expected):
            function, path = side.eager.function, Path(folder) / f"{side.name}.trace"
            with taken_apart():
                traces.append(
                    _recorded(side.name, function, case.inputs, case.keywords, path, case.gradients, case.seed, progress, case.taken_as)
                )
        origin = locate_in_traces(*traces, declared=case.declared.name, progress=progress, ends=ends)
    if origin.place is None and origin.module is None and any(map(is_made_elsewhere, traces)):
        return dataclasses.replace(origin, place=place_of_numbers(case))
    return origin


def _callable(function: Any) -> Callable[..., Any]:
    return ExportedFunction(function) if isinstance(function, torch.export.ExportedProgram) else function


def _noted(origin: Origin, note: str) -> Origin:
    return dataclasses.replace(origin, notes=(*origin.notes, note))


def _recorded(
    name: str, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], path: Path, gradients: bool, seed: int,
    progress: Callable[[str], None] | None, hint: str,
) -> Trace:  # fmt: skip
    """Record one side on copies of the inputs, and leave its state as it was."""
    function = _callable(function)
    if hasattr(function, "record") and not gradients:  # made by a backend, which looks into its own programs
        return function.record(copied(arguments), path, keywords=copied(keywords))  # pyright: ignore[reportFunctionMemberAccess]
    side = Side(name, function)
    told = None if progress is None else lambda word: progress(f"{name}: {word}")

    def recorded(path: Path, *, differentiates: bool) -> Trace:
        own, named = on_device(copied((arguments, keywords)), side.device)
        for tensor in _leaves((own, named)) if gradients else ():
            if tensor.is_floating_point() and tensor.is_leaf:
                tensor.requires_grad_()
        with side.unchanged(), _without_gradients(side), repeatable(seed), torch.set_grad_enabled(differentiates):
            return record(function, own, path, level="tensors", keywords=named, gradients=gradients, progress=told)

    try:
        try:
            trace = recorded(path, differentiates=gradients or side.wants_gradients)
            if not gradients and not side.modules and (not _has_results(trace) or is_made_elsewhere(trace)):
                return _by_statements(side, arguments, keywords, path, seed) or trace
            return trace
        except RuntimeError as error:
            if gradients or not misses_gradients(error):
                raise
            return recorded(path.with_suffix(".again.trace"), differentiates=True)
    except (RuntimeError, TypeError, ValueError, AttributeError, LookupError, AssertionError) as error:
        if isinstance(error, HalfulpError):
            raise
        raise RunError(
            f"Got {type(error).__name__} from {name} while it was recorded: {shortened(str(error))}. Needed: a callable that runs on "
            f"these inputs. Nothing can be located before it does. {_next_step(name, hint)}"
        ) from error


def _next_step(name: str, hint: str) -> str:
    call = f"all {name}(*inputs) by itself to see where it fails."
    return f"{hint[:1].upper()}{hint[1:]} Or c{call}" if hint else f"C{call}"


def _has_results(trace: Trace) -> bool:
    """Whether a tensor was returned."""
    return any(name.startswith("output") for name in trace.named)


def _by_statements(side: Side, arguments: tuple[Any, ...], keywords: dict[str, Any], path: Path, seed: int) -> Trace | None:
    """What the statements of a function gave that calls no op of PyTorch; None where no array was seen either."""
    own, named = copied((arguments, keywords))
    with side.unchanged(), repeatable(seed):
        result, values, notes = watched(lambda: side.function(*own, **named))
    if not values:
        return None
    inputs = {**_tensors(arguments, "inputs"), **_tensors(keywords, "keywords")}
    return transcribe(
        path.with_suffix(".statements.trace"), inputs=inputs, weights={}, values=values, outputs=_tensors(result, "output"), settings={},
        notes=notes, in_other_layouts=True,
    )  # fmt: skip


def _tensors(tree: Any, name: str) -> dict[str, torch.Tensor]:
    """Tensors and arrays of a tree, by path."""
    found = named_in(tree, name, lambda value: isinstance(value, (torch.Tensor, np.ndarray, np.generic)))
    return {path: value.detach() if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(value)) for path, value in found}


@contextlib.contextmanager
def _without_gradients(side: Side) -> Generator[None]:
    """Gradients that are there already are put away, so that those of this run are seen, and put back afterwards."""
    parameters = [parameter for module in side.modules for parameter in module.parameters()]
    before = [parameter.grad for parameter in parameters]
    for parameter in parameters:
        parameter.grad = None
    try:
        yield
    finally:
        for leaf, gradient in zip(parameters, before):
            leaf.grad = gradient


def _leaves(tree: Any) -> list[torch.Tensor]:
    return [tensor for _, tensor in named_in(tree, "", lambda value: isinstance(value, torch.Tensor))]
