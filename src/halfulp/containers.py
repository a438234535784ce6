"""Containers inside containers: how deep a walk through them goes, and what it says where they do not end."""

from __future__ import annotations

import dataclasses
from typing import Any

from .errors import InputError

DEEPEST = 100
"""Containers inside each other: ten times what anybody nests, and a tenth of what Python's stack holds."""


def entered(container: object, inside: tuple[int, ...], path: str) -> tuple[int, ...]:
    """The containers that a walk is in once it steps into this one.

    Args:
        container: a list, a dict ... inside: what this gave one level higher; () at the top. path: the place, for the message.

    Raises:
        InputError: it holds itself, or it is the 101st level.
    """
    if id(container) in inside or len(inside) >= DEEPEST:
        what = "a container that holds itself" if id(container) in inside else f"containers nested more than {DEEPEST} deep"
        raise InputError(
            f"Got {what} at {path[:80] or 'the top'}. Needed: tensors, arrays or numbers in containers that end. Pass or return the parts "
            "that are to be looked at."
        )
    return (*inside, id(container))


def require_end(tree: Any, path: str = "inputs") -> None:
    """Refuse nested lists, tuples, dicts and dataclasses that hold themselves or do not end within 100 levels.

    Raises:
        InputError: see `entered`.
    """
    waiting = [(tree, (), path)]
    while waiting:
        value, inside, place = waiting.pop()
        if isinstance(value, dict):
            parts = [(f"{place}[{key!r}]" if isinstance(key, (str, int)) else f"{place}[...]", part) for key, part in value.items()]
        elif isinstance(value, (list, tuple)):
            parts = [(f"{place}[{number}]", part) for number, part in enumerate(value)]
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts = [(f"{place}.{field.name}", getattr(value, field.name, None)) for field in dataclasses.fields(value)]
        else:
            continue
        if isinstance(value, tuple) and not value:  # one object serves for all empty tuples
            continue
        inside = entered(value, inside, place)
        waiting += [(part, inside, name) for name, part in parts if not isinstance(part, (str, bytes, int, float))]
