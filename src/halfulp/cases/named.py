"""names_in(function): which functions code names. All that can be known of what NumPy code calls, whose ops nobody sees."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any

from ..recording.names import is_library, is_of_user


def names_in(function: Any) -> set[str]:
    """The attributes and globals that a callable of the user names, and the user's functions that it reaches.

    Functions are reached by name, in closures, as methods of the objects there, and as what these objects hold.

    Returns:
        The names without those of functions that were looked at themselves; none where no code of the user was found.
    """
    found: set[str] = set()
    seen: set[int] = set()
    waiting = [function, getattr(function, "target", None)]  # an implementation hides what it implements from searches for data
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, types.FunctionType):
            if _is_own(value):
                for name in _names_of(value.__code__):
                    named = value.__globals__.get(name)
                    if isinstance(named, types.FunctionType) and _is_own(named):
                        waiting.append(named)
                    else:
                        found.add(name)
                waiting += _held_by(value)
        elif callable(value) and not isinstance(value, type):
            waiting += [*_methods_of(type(value)), *filter(callable, getattr(value, "__dict__", {}).values())]
            waiting += [getattr(value, name, None) for name in ("__func__", "__self__", "func")]  # of a method, of a partial function
    return found


def _held_by(function: types.FunctionType) -> Iterator[Any]:
    yield from function.__defaults__ or ()
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a cell that is still empty
            yield cell.cell_contents


def _methods_of(kind: type) -> Iterator[types.FunctionType]:
    for base in kind.__mro__:
        yield from (method for method in vars(base).values() if isinstance(method, types.FunctionType))


def _is_own(function: types.FunctionType) -> bool:
    file = function.__code__.co_filename
    return is_of_user(file) and not is_library(file)


def _names_of(code: types.CodeType) -> Iterator[str]:
    """What code names, the functions within it too."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names_of(part)
