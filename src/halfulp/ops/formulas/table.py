"""The table of formulas: op name -> textbook formula over arrays, registered where it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Formula = Callable[..., Any]
"""Takes the arithmetic and the op's arguments (arrays, numbers, None); returns an array, or a tuple in the order of the op's outputs with
None for what it does not define."""

FORMULAS: dict[str, Formula] = {}

_F = TypeVar("_F", bound=Formula)


def formula(*names: str) -> Callable[[_F], _F]:
    """Register a function as the formula of ops, named without namespace, overload and in-place underscore."""

    def register(function: _F) -> _F:
        for name in names:
            FORMULAS[name] = function
        return function

    return register
