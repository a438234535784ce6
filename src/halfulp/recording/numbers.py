"""numbers_in: a function of Python's numbers (a score, a count), statement by statement. No mode of PyTorch sees them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch

from .names import is_library, is_of_user, line_of
from .statements import MOST_LINES, names_by_line

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
    watcher = _Watcher()
    before = sys.gettrace()
    sys.settrace(watcher.entered)
    try:
        run()
    except Exception:  # what raises has been reported by whoever ran it first
        return []
    finally:
        sys.settrace(before)
    return watcher.found


@dataclass
class _Frame:
    """A call that is being watched.

    Attributes:
        held: variable -> (its numbers, which of the found ones it is). line: what is being executed. inner: what calls within the
            statement under way returned.
    """

    held: dict[str, tuple[tuple[float, ...], int]] = field(default_factory=dict)
    line: int = 0
    inner: list[int] = field(default_factory=list)


class _Watcher:
    def __init__(self) -> None:
        self.found: list[Bound] = []
        self._frames: dict[FrameType, _Frame] = {}
        self._names: dict[CodeType, dict[int, set[str]]] = {}
        self._lines = 0

    def entered(self, frame: FrameType, event: str, _argument: Any) -> Any:
        """The trace function of Python: a function is called."""
        code = frame.f_code
        if event != "call" or not is_of_user(code.co_filename) or is_library(code.co_filename) or self._lines > MOST_LINES:
            return None
        if code.co_name.startswith("<"):  # a comprehension is part of its statement
            return None
        self._frames[frame] = _Frame({name: (values, -1) for name, values in _numbers_of(frame.f_locals)})
        return self._at

    def _at(self, frame: FrameType, event: str, argument: Any) -> Any:
        """A line is about to run, or the function returns."""
        here = self._frames[frame]
        self._lines += 1
        self._look(frame, here)
        if event == "return":
            self._returned(frame, here, argument)
        elif event == "line":
            here.line, here.inner = frame.f_lineno, []
        return self._at if self._lines <= MOST_LINES else None

    def _look(self, frame: FrameType, here: _Frame) -> None:
        """Keep the numbers that the statement just executed bound to variables."""
        bound = [(name, values) for name, values in _numbers_of(frame.f_locals) if here.held.get(name, (None,))[0] != values]
        kept = [(name, values, self._keep(name, values, frame, here)) for name, values in bound]
        here.held.update({name: (values, number) for name, values, number in kept})  # afterwards: the statement read what was held before

    def _returned(self, frame: FrameType, here: _Frame, value: Any) -> None:
        values = _flat(value)
        number = self._keep("return", values, frame, here)
        outer = self._frames.get(frame.f_back) if frame.f_back is not None else None
        if outer is not None:
            outer.inner.append(number)
        del self._frames[frame]

    def _keep(self, name: str, values: tuple[float, ...], frame: FrameType, here: _Frame) -> int:
        code, line = frame.f_code, here.line or frame.f_lineno
        if code not in self._names:
            self._names[code] = names_by_line(code)
        read = [here.held[name][1] for name in self._names[code].get(line, ()) if name in here.held]
        reads = tuple(dict.fromkeys(number for number in (*read, *here.inner) if number >= 0))
        self.found.append(Bound(name, values, line_of(frame, line), reads))
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
