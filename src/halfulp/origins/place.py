"""Place: where a difference begins, as each side has it: the ops there, how they were called, in which lines."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..traces import Step, Trace
from ..traces.roles import Role
from ..traces.trace import Ref, Value

MOST = 40
"""So many ops of a side are kept: those nearest to where the difference was seen."""


@dataclass(frozen=True)
class OpCall:
    """One op as one side called it.

    Attributes:
        op: its overload, or "python.NAME" of a number that a statement bound to NAME. module: dotted path of its module ("": the
            outermost). source: "file.py:12 function", with the lines that called it where it is a helper; "" where unknown.
        arguments: (name, value as text) of each; tensors by their name, or as "64x32 float32". What was left out has its default.
    """

    op: str
    module: str
    source: str
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Place:
    """Where a difference begins, and what each side does there.

    Attributes:
        module, op, phase, source: of the op of `expected`, as in `Origin`.
        expected, actual: the ops of each side since the last values that both have, views among them, in order; the last one made the
            value that differs. At most `MOST`, the nearest.
        differing: (what, in `actual`, in `expected`): arguments of the same op that are not the same.
    """

    module: str
    op: str
    phase: str
    source: str
    expected: tuple[OpCall, ...] = ()
    actual: tuple[OpCall, ...] = ()
    differing: tuple[tuple[str, str, str], ...] = ()

    def calls(self, side: str) -> tuple[OpCall, ...]:
        """The ops of a side."""
        return self.actual if side == "actual" else self.expected


def op_in(op: str, module: str) -> str:
    """An op and its module: "exp in encoder.2"; the op alone where it is in none, or in the outermost one."""
    return f"{op} in {module}" if module else op


def place_of(actual: Trace, expected: Trace, here: Sequence[Step], there: Sequence[Step], *, module: str, seen: Step) -> Place:
    """The place where these steps of `actual` and of `expected` are.

    Args:
        actual, expected: the traces. here, there: the steps of each. module: their common one. seen: the step of `expected` where the
            difference was seen.
    """
    calls = [tuple(op_call(trace, step) for step in steps) for trace, steps in ((expected, there), (actual, here))]
    return Place(module, seen.op, seen.phase, seen.source, *calls, differing=tuple(_differing(actual, expected, here, there)))


def made_since(trace: Trace, number: int, shared: Callable[[int], bool]) -> list[Step]:
    """The ops that made a value, back to values that both sides have: the nearest ones, in order.

    Views are followed to what was computed: which part of a value is read is often what differs.
    """
    found: dict[int, Step] = {}
    waiting = [number]
    while waiting and len(found) < MOST:
        made_by = trace.producers.get(waiting.pop(0))
        if made_by is not None and made_by.index not in found:
            found[made_by.index] = made_by
            waiting += [source for source in made_by.inputs if not (trace.values[source].hash and shared(source))]
    return [found[index] for index in sorted(found)]


def op_call(trace: Trace, step: Step) -> OpCall:
    """A step in words."""
    shown = tuple((name, _as_text(trace, value)) for name, value in _given(step).items() if value is not None)
    return OpCall(step.op, step.module, step.source, shown)


def _given(step: Step) -> dict[str, Any]:
    """The arguments of an op by name, with defaults filled in where the op is PyTorch's."""
    schema = _schema(step.op)
    names = [name for name, _ in schema] or [f"argument {place + 1}" for place in range(len(step.arguments))]
    given = {**dict(zip(names, step.arguments)), **step.keywords}
    return {**given, **{name: default for name, default in schema if name not in given and default is not None}}


def _schema(op: str) -> list[tuple[str, Any]]:
    """(name, default) of the arguments of an op of PyTorch; empty where it is none, or PyTorch is missing."""
    parts = op.split(".")
    if len(parts) != 3 or importlib.util.find_spec("torch") is None:
        return []
    import torch

    packet = getattr(getattr(torch.ops, parts[0], None), parts[1], None)
    overload = getattr(packet, parts[2], None)
    return [] if overload is None else [(argument.name, argument.default_value) for argument in overload._schema.arguments]


def _as_text(trace: Trace, value: Any) -> str:
    if isinstance(value, Ref):
        return _tensor_as_text(trace.values[value.number])
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_as_text(trace, part) for part in value)}]"
    if isinstance(value, dict):
        return ", ".join(str(part) for part in value.values())
    return f"{value:.6g}" if isinstance(value, float) else repr(value) if isinstance(value, str) else str(value)


def _tensor_as_text(value: Value) -> str:
    is_named = value.name and value.role in (Role.PARAMETER, Role.BUFFER, Role.INPUT)
    return value.name if is_named else f"{'x'.join(str(length) for length in value.shape) or 'one'} {value.dtype}"


def _differing(actual: Trace, expected: Trace, here: Sequence[Step], there: Sequence[Step]) -> Iterator[tuple[str, str, str]]:
    """Arguments that are not the same, of ops that each side has exactly once."""
    once = [{step.name: step for step in steps if sum(other.name == step.name for other in steps) == 1} for steps in (here, there)]
    for name in (name for name in once[0] if name in once[1]):
        own, other = _given(once[0][name]), _given(once[1][name])
        for argument in (argument for argument in own if argument in other):
            if _kind(actual, own[argument]) != _kind(expected, other[argument]):
                yield argument, _as_text(actual, own[argument]), _as_text(expected, other[argument])


def _kind(trace: Trace, value: Any) -> Any:
    """What is compared of an argument: of a tensor its shape and format, since names and numbers may differ for other reasons."""
    if isinstance(value, Ref):
        return trace.values[value.number].shape, trace.values[value.number].dtype
    return [_kind(trace, part) for part in value] if isinstance(value, (list, tuple)) else value
