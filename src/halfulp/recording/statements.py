"""watched: a function of arrays, statement by statement. NumPy passes no mode: what can be seen are the values of variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np
import torch

from .names import line_of
from .statement_watch import Call, StatementWatch
from .transcript import Transcribed

MOST_BYTES = 1 << 29
"""Values are copied up to half a gigabyte; in three layouts they take three times that on disk for as long as the answer takes."""


def watched(run: Callable[[], Any]) -> tuple[Any, list[Transcribed], tuple[str, ...]]:
    """A call, looked into.

    Args:
        run: calls the function.

    Returns:
        What it returned; the arrays that its statements and those of the functions it calls gave, in order (code of libraries is not
        entered); and notes on what could not be seen.
    """
    watch = _ArrayWatch()
    result = watch.run(run)
    return result, watch.values, tuple(watch.notes)


class _ArrayWatch(StatementWatch):
    """A call holds for each variable its array."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[Transcribed] = []
        self.notes: list[str] = []
        self._numbers: dict[int, tuple[Any, int]] = {}  # the array is kept: its id would be given to another
        self._bytes = 0

    def variables(self, frame: FrameType) -> dict[str, Any]:
        return {name: value for name, value in frame.f_locals.items() if _is_array(value)}

    def looked_at(self, frame: FrameType, call: Call) -> None:
        bound = {name: value for name, value in self.variables(frame).items() if call.held.get(name) is not value}
        for name, value in bound.items():
            self._keep(value, frame, call, name)
        call.held.update(bound)  # afterwards: the statement read what the variables held before

    def returned(self, frame: FrameType, call: Call, value: Any) -> Sequence[int]:
        self._written(frame, call)
        return [self._keep(array, frame, call, "return") for array in _arrays(value)]

    def is_over(self) -> bool:
        if not super().is_over() and self._bytes <= MOST_BYTES:
            return False
        if not self.notes:
            self.notes.append(f"what was computed after {self.lines:,} executed lines was not looked at")
        return True

    def _written(self, frame: FrameType, call: Call) -> None:
        """Keep arrays that were written to since they were bound."""
        for name, value in call.held.items():
            known = self._numbers.get(id(value))
            if known is not None and isinstance(value, np.ndarray) and not _is_same(value, self.values[known[1]].tensor):
                del self._numbers[id(value)]
                self._keep(value, frame, call, name)

    def _keep(self, array: Any, frame: FrameType, call: Call, name: str) -> int:
        known = self._numbers.get(id(array))
        if known is not None and (name != "return" or _is_same(array, self.values[known[1]].tensor)):
            return known[1]
        copied = np.array(array, copy=True)
        self._bytes += copied.nbytes
        read = [self._numbers[id(held)][1] for held in self.read_by(frame, call) if id(held) in self._numbers]
        sources = tuple(dict.fromkeys((*read, *call.inner)))
        self.values.append(Transcribed(torch.from_numpy(copied), f"numpy.{name}", "", line_of(frame, call.line), inputs=sources))
        self._numbers[id(array)] = (array, len(self.values) - 1)
        return len(self.values) - 1


def _is_array(value: Any) -> bool:
    """Whether it is a tensor of NumPy, or of a library that gives its numbers as one (not PyTorch's, which are recorded by themselves)."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiub" and value.dtype.isnative and value.size > 1
    return False


def _arrays(value: Any) -> list[Any]:
    items = value if isinstance(value, (tuple, list)) else (value,)
    return [item for item in items if _is_array(item)]


def _is_same(array: Any, kept: torch.Tensor) -> bool:
    other = kept.numpy()
    return array.shape == other.shape and array.dtype == other.dtype and array.tobytes() == other.tobytes()
