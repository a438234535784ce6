"""Which functions code names: all that can be known of what NumPy code calls, whose ops nobody sees."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any

from ..recording.names import is_library, is_of_user

MOST_FUNCTIONS = 10_000
"""A program names no more; what does is a library that looks like the user's code."""


class Named:
    """The attributes and globals that functions of a user name, and the functions that they reach by name or in closures.

    Attributes:
        names: without those of functions that were looked at themselves.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._seen: set[types.CodeType] = set()

    def add(self, value: Any) -> None:
        """A function, or an object whose methods are."""
        waiting = [value]
        while waiting and len(self._seen) < MOST_FUNCTIONS:
            value = waiting.pop()
            if not isinstance(value, types.FunctionType):
                waiting += _methods_of(type(value))
                continue
            if value.__code__ in self._seen or not _is_own(value):
                continue
            self._seen.add(value.__code__)
            for name in _names_in(value.__code__):
                named = value.__globals__.get(name)
                if isinstance(named, types.FunctionType) and _is_own(named):
                    waiting.append(named)
                else:
                    self.names.add(name)
            for cell in value.__closure__ or ():
                with contextlib.suppress(ValueError):  # a cell that is still empty
                    waiting.append(cell.cell_contents)


def _is_own(function: types.FunctionType) -> bool:
    file = function.__code__.co_filename
    return is_of_user(file) and not is_library(file)


def _methods_of(kind: type) -> list[types.FunctionType]:
    return [method for base in kind.__mro__ for method in vars(base).values() if isinstance(method, types.FunctionType) and _is_own(method)]


def _names_in(code: types.CodeType) -> Iterator[str]:
    """What code names, the functions within it too."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names_in(part)
