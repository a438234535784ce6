"""numbers_in: a function of Python's numbers (a score, a count), statement by statement. No mode of PyTorch sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import torch

from .names import line_of
from .statement_watch import Call, StatementWatch

MOST_VALUES = 1000
"""A list of more numbers, or a tensor of more elements, is data and no result of a statement."""


@dataclass(frozen=True)
class Bound:
    """What a statement gave.

    Attributes:
        name: the variable, or "return". values: the number, or the numbers of a list. source: "score.py:12 bleu". reads: the numbers of
            the ones that its statement read, in the list that `numbers_in` returns.
    """

    name: str
    values: tuple[float, ...]
    source: str
    reads: tuple[int, ...] = ()


def numbers_in(run: Callable[[], Any]) -> list[Bound]:
    """A call, looked into.

    Args:
        run: calls the function.

    Returns:
        The numbers and lists of numbers that its statements and those of the functions it calls gave, in order, up to `MOST_LINES` lines;
        the last is what the outermost function returned. Empty where it raises.
    """
    watch = _NumberWatch()
    try:
        watch.run(run)
    except Exception:  # what raises has been reported by whoever ran it first
        return []
    return watch.found


class _NumberWatch(StatementWatch):
    """A call holds for each variable its numbers and which of the found ones it is; -1 for what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Bound] = []

    def variables(self, frame: FrameType) -> dict[str, Any]:
        return {name: (values, -1) for name, values in _numbers_of(frame.f_locals)}

    def looked_at(self, frame: FrameType, call: Call) -> None:
        bound = [(name, values) for name, values in _numbers_of(frame.f_locals) if call.held.get(name, (None,))[0] != values]
        kept = [(name, values, self._keep(name, values, frame, call)) for name, values in bound]
        call.held.update({name: (values, number) for name, values, number in kept})  # afterwards: the statement read what was held before

    def returned(self, frame: FrameType, call: Call, value: Any) -> Sequence[int]:
        return [self._keep("return", _flat(value), frame, call)]

    def _keep(self, name: str, values: tuple[float, ...], frame: FrameType, call: Call) -> int:
        read = (number for _, number in self.read_by(frame, call))
        reads = tuple(dict.fromkeys(number for number in (*read, *call.inner) if number >= 0))
        self.found.append(Bound(name, values, line_of(frame, call.line), reads))
        return len(self.found) - 1


def _numbers_of(variables: Mapping[str, Any]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The variables that hold numbers; tensors and arrays are left to those who record their ops."""
    for name, value in variables.items():
        values = () if isinstance(value, (torch.Tensor, np.ndarray)) else _flat(value)
        if values:
            yield name, values


def _flat(value: Any) -> tuple[float, ...]:
    """The numbers of a value; empty where it holds none, something else as well, or too many."""
    found: list[float] = []
    try:
        return tuple(found) if _gathered(value, found) else ()
    except (OverflowError, ValueError, RuntimeError):  # an int beyond floats, a tensor without storage, a dict that changes
        return ()


def _gathered(value: Any, found: list[float]) -> bool:
    if isinstance(value, (int, float, np.number, np.bool_)):
        found.append(float(value))  # pyright: ignore[reportArgumentType]
    elif isinstance(value, complex):
        found += [value.real, value.imag]
    elif isinstance(value, (torch.Tensor, np.ndarray)):
        count = value.numel() if isinstance(value, torch.Tensor) else value.size
        if count > MOST_VALUES:
            return False
        return _gathered(value.tolist(), found)
    elif isinstance(value, (list, tuple, set, frozenset)):
        return len(value) <= MOST_VALUES and all(_gathered(part, found) for part in value) and len(found) <= MOST_VALUES
    elif isinstance(value, dict):
        return len(value) <= MOST_VALUES and all(_gathered(part, found) for part in value.values()) and len(found) <= MOST_VALUES
    else:
        return False
    return True
