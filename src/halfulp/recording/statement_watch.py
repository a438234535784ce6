"""StatementWatch: a user's code, statement by statement, through Python's trace function. Subclasses keep what statements gave."""

from __future__ import annotations

import ast
import linecache
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from .names import is_library, is_of_user

MOST_LINES = 200_000
"""After so many lines nothing more is looked at: a second or two; a loop over single numbers is no sequence of tensors."""
INLINE = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
"""Parts of a statement that Python runs as functions; since 3.12 it doesn't."""


@dataclass
class Call:
    """A call that is being watched.

    Attributes:
        held: variable -> what it held when the statement under way began. line: what is being executed. inner: the numbers of the values
            that calls within the statement under way returned.
    """

    held: dict[str, Any]
    line: int
    inner: list[int] = field(default_factory=list)


class StatementWatch(ABC):
    """Calls a function, and looks at the variables of the user's code after each of its statements. Libraries are not entered."""

    def __init__(self) -> None:
        self.lines = 0
        self._calls: dict[FrameType, Call] = {}
        self._names: dict[CodeType, dict[int, set[str]]] = {}

    def run(self, function: Callable[[], Any]) -> Any:
        """What the function returns; what it raises is raised."""
        before = sys.gettrace()
        sys.settrace(self._entered)
        try:
            return function()
        finally:
            sys.settrace(before)

    @abstractmethod
    def variables(self, frame: FrameType) -> dict[str, Any]:
        """The variables that hold what is watched for."""

    @abstractmethod
    def looked_at(self, frame: FrameType, call: Call) -> None:
        """A statement is done: keep what it gave, and update `call.held`."""

    @abstractmethod
    def returned(self, frame: FrameType, call: Call, value: Any) -> Sequence[int]:
        """A call is done: the numbers of the values that it returned."""

    def is_over(self) -> bool:
        """Whether nothing more is looked at."""
        return self.lines > MOST_LINES

    def read_by(self, frame: FrameType, call: Call) -> Iterator[Any]:
        """What the variables hold that the statement under way reads."""
        code = frame.f_code
        if code not in self._names:
            self._names[code] = _names_by_line(code)
        for name in self._names[code].get(call.line, ()):
            if name in call.held:
                yield call.held[name]

    def _entered(self, frame: FrameType, event: str, _argument: Any) -> Any:
        code = frame.f_code
        if event != "call" or code.co_name in INLINE or not is_of_user(code.co_filename) or is_library(code.co_filename) or self.is_over():
            return None
        self._calls[frame] = Call(self.variables(frame), frame.f_lineno)
        return self._at

    def _at(self, frame: FrameType, event: str, argument: Any) -> Any:
        """A line is about to run, or the function returns."""
        call = self._calls[frame]
        self.lines += 1
        if self.is_over():
            return None
        self.looked_at(frame, call)
        if event == "return":
            numbers = self.returned(frame, call, argument)
            outer = self._calls.get(frame.f_back) if frame.f_back is not None else None
            if outer is not None:
                outer.inner += numbers
            del self._calls[frame]
        elif event == "line":
            call.line, call.inner = frame.f_lineno, []
        return self._at


def _names_by_line(code: CodeType) -> dict[int, set[str]]:
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
