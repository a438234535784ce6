"""watched: a function of arrays, statement by statement. NumPy passes no mode: what can be seen are the values of variables."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch

from .names import is_library, is_of_user, line_of
from .transcript import Transcribed

MOST_LINES = 200_000
"""After so many lines nothing more is looked at: a second or two; a loop over single numbers is no sequence of tensors."""
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
    watcher = _Watcher()
    before = sys.gettrace()
    sys.settrace(watcher.entered)
    try:
        result = run()
    finally:
        sys.settrace(before)
    return result, watcher.values, tuple(watcher.notes)


@dataclass
class _Frame:
    """A call that is being watched.

    Attributes:
        known: variable -> the array that it held. line: what is being executed; 0 before the first. inner: values that calls within the
            statement under way returned.
    """

    known: dict[str, Any]
    line: int = 0
    inner: list[int] = field(default_factory=list)


class _Watcher:
    def __init__(self) -> None:
        self.values: list[Transcribed] = []
        self.notes: list[str] = []
        self._frames: dict[FrameType, _Frame] = {}
        self._numbers: dict[int, tuple[Any, int]] = {}  # the array is kept: its id would be given to another
        self._loaded: dict[CodeType, dict[int, set[str]]] = {}
        self._lines = self._bytes = 0

    def entered(self, frame: FrameType, event: str, _argument: Any) -> Any:
        """The trace function of Python: a function is called."""
        file = frame.f_code.co_filename
        if event != "call" or not is_of_user(file) or is_library(file) or self._is_over():
            return None
        self._frames[frame] = _Frame({name: value for name, value in frame.f_locals.items() if _is_array(value)})
        return self._at

    def _at(self, frame: FrameType, event: str, argument: Any) -> Any:
        """A line is about to run, or the function returns."""
        here = self._frames[frame]
        self._lines += 1
        if self._is_over():
            return None
        self._look(frame, here)
        if event == "return":
            self._written(frame, here)
            numbers = [self._keep(array, frame, here, "return") for array in _arrays(argument)]
            outer = self._frames.get(frame.f_back) if frame.f_back is not None else None
            if outer is not None:
                outer.inner += numbers
            del self._frames[frame]
        elif event == "line":
            here.line, here.inner = frame.f_lineno, []
        return self._at

    def _is_over(self) -> bool:
        if self._lines <= MOST_LINES and self._bytes <= MOST_BYTES:
            return False
        if not self.notes:
            self.notes.append(f"what was computed after {self._lines:,} lines was not looked at")
        return True

    def _look(self, frame: FrameType, here: _Frame) -> None:
        """Keep what the statement just executed bound to variables."""
        bound = {name: value for name, value in frame.f_locals.items() if _is_array(value) and here.known.get(name) is not value}
        for name, value in bound.items():
            self._keep(value, frame, here, name)
        here.known.update(bound)  # afterwards: the statement read what the variables held before

    def _written(self, frame: FrameType, here: _Frame) -> None:
        """Keep arrays that were written to since they were bound."""
        for name, value in here.known.items():
            known = self._numbers.get(id(value))
            if known is not None and isinstance(value, np.ndarray) and not _is_same(value, self.values[known[1]].tensor):
                del self._numbers[id(value)]
                self._keep(value, frame, here, name)

    def _keep(self, array: Any, frame: FrameType, here: _Frame, name: str) -> int:
        known = self._numbers.get(id(array))
        if known is not None and (name != "return" or _is_same(array, self.values[known[1]].tensor)):
            return known[1]
        copied = np.array(array, copy=True)
        self._bytes += copied.nbytes
        place = line_of(frame, here.line)
        read = [self._numbers[id(held)][1] for held in self._read(frame, here) if id(held) in self._numbers]
        sources = tuple(dict.fromkeys((*read, *here.inner)))
        self.values.append(Transcribed(torch.from_numpy(copied), f"numpy.{name}", "", place, inputs=sources))
        self._numbers[id(array)] = (array, len(self.values) - 1)
        return len(self.values) - 1

    def _read(self, frame: FrameType, here: _Frame) -> Iterator[Any]:
        """The arrays in variables that the statement under way reads."""
        code = frame.f_code
        if code not in self._loaded:
            self._loaded[code] = names_by_line(code)
        for name in self._loaded[code].get(here.line, ()):
            value = here.known.get(name)
            if value is not None:
                yield value


def names_by_line(code: CodeType) -> dict[int, set[str]]:
    """For each line of a function the variables that its statement reads."""
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):
        return {}
    found: dict[int, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(
            node, (ast.FunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With, ast.Try)
        ):
            names = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found.setdefault(line, set()).update(names)
    return found


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
