"""Containers inside containers: their named parts, how deep a walk goes, and what it says where they do not end.

Anything can hold tensors: lists, dicts, dataclasses, what PyTorch's pytree knows, and plain objects (a cache of keys and values, an output
of a model). No framework is imported to look inside.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .errors import InputError

DEEPEST = 100
"""Containers inside each other: ten times what anybody nests, and a tenth of what Python's stack holds."""

Parts = list[tuple[str, object]]

_WITHOUT_PARTS = (
    str, bytes, bytearray, memoryview, int, float, complex, type(None), type, enum.Enum, BaseException,
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, types.GeneratorType, types.CodeType,
)  # fmt: skip


def parts_of(value: object) -> Parts | None:
    """The named parts of a container, None for something that is no container.

    Mappings, named tuples, lists, tuples, dataclasses, and what PyTorch's pytree knows. Plain objects: see `attributes_of`.
    """
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", part) for key, part in value.items()]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(f".{name}", getattr(value, name)) for name in value._fields]  # type: ignore[attr-defined]
    if isinstance(value, (list, tuple)):
        return [(f"[{position}]", part) for position, part in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f".{field.name}", getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    return _registered(value)


def _registered(value: object) -> Parts | None:
    """The children of a node that somebody registered with PyTorch's pytree."""
    if "torch.utils._pytree" not in sys.modules:
        return None
    pytree: Any = sys.modules["torch.utils._pytree"]
    node = pytree.SUPPORTED_NODES.get(type(value))
    if node is None:
        return None
    if node.flatten_with_keys_fn is not None:
        return [(pytree.keystr((key,)), part) for key, part in node.flatten_with_keys_fn(value)[0]]
    return [(f"[{position}]", part) for position, part in enumerate(node.flatten_fn(value)[0])]


def attributes_of(value: object) -> Parts:
    """The attributes of a plain object, [] for what is none: numbers, text, functions, classes, arrays."""
    if isinstance(value, _WITHOUT_PARTS) or hasattr(value, "__array__"):
        return []
    found: Parts = [(f".{name}", part) for name, part in getattr(value, "__dict__", {}).items() if isinstance(name, str)]
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found.append((f".{name}", getattr(value, name)))
    return found


def named_in(
    tree: object, path: str, is_wanted: Callable[[object], bool], *, inside: tuple[int, ...] = (), met: set[int] | None = None
) -> Iterator[tuple[str, Any]]:
    """What is wanted among the parts of containers and the attributes of objects, in order, with its path.

    Args:
        tree: where to look. path: what the tree is called. is_wanted: tells what is looked for; it is not looked into.
        inside, met: the containers that the walk is in, and the plain objects that it has met: each is entered once, as they may point
            at each other.
    """
    if is_wanted(tree):
        yield path, tree
        return
    met = set() if met is None else met
    parts = parts_of(tree)
    if parts is not None:
        inside = entered(tree, inside, path) if parts else inside
    elif id(tree) not in met:
        met.add(id(tree))
        parts = attributes_of(tree)
    for name, part in parts or ():
        yield from named_in(part, path + name, is_wanted, inside=inside, met=met)


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
            f"Got {what} at {path[:80] or 'the top'}. Needed: tensors, arrays or numbers in containers of limited "
            "depth. Pass or return only the parts to be examined."
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
        if not isinstance(value, (dict, list, tuple)) and not (dataclasses.is_dataclass(value) and not isinstance(value, type)):
            continue
        if isinstance(value, tuple) and not value:  # one object serves for all empty tuples
            continue
        inside = entered(value, inside, place)
        parts = parts_of(value) or []
        waiting += [(part, inside, place + name[:40]) for name, part in parts if not isinstance(part, (str, bytes, int, float))]
