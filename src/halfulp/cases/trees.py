"""tree_map without reference cycles: PyTorch's own keeps every tensor that it met alive until Python next collects garbage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch
from torch.utils._pytree import tree_map as _of_any_kind

T = TypeVar("T")

_LEAVES = (torch.Tensor, int, float, complex, str, bytes, torch.dtype, torch.device, type(None))


def tree_map(visit: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to every leaf of nested lists, tuples, dicts, and of containers that PyTorch knows."""
    if type(tree) in (list, tuple):
        return type(tree)([tree_map(visit, part) for part in tree])
    if type(tree) is dict:
        return {key: tree_map(visit, part) for key, part in tree.items()}
    return visit(tree) if isinstance(tree, _LEAVES) else _of_any_kind(visit, tree)


def tensors_of(tree: Any) -> Iterator[torch.Tensor]:
    """The tensors among the arguments or results of an op."""
    return found_in(tree, torch.Tensor)


def found_in(tree: Any, kind: type[T]) -> Iterator[T]:
    """What is of a kind in nested lists, tuples and dicts."""
    if isinstance(tree, kind):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for part in tree:  # pyright: ignore[reportUnknownVariableType]
            yield from found_in(part, kind)
    elif isinstance(tree, dict):
        yield from found_in(tuple(tree.values()), kind)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
