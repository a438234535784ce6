"""An axis split or put together in the other order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from ..calls import Replacement
from ..graph import Graph, Node
from .edit import Edit, joined

RESHAPING = ("reshape", "view", "unflatten", "flatten")


def regrouped(graph: Graph, node: Node) -> Iterator[Edit]:
    """An axis split or put together in the other order: blocks instead of neighbors, heads and features exchanged."""
    if node.name in ("permute", "transpose") and len(node.shapes) == 1:
        new = node.shapes[0]
        changes: dict[int, Replacement] = {node.number: lambda call: call.first.reshape(new)}
        yield Edit("layout", f"a reshape to the same shape instead of {node.name}", ("order",), changes)
        return
    splits = list(_splits(graph, node))
    yield from splits
    for split in splits:  # what is split is often put together again: both in the other order
        for number in sorted(graph.nodes):
            for merge in _merges(graph, graph.nodes[number]) if number > node.number else ():
                if merge.key[1:] == split.key[1:]:
                    both = replace(
                        joined([split, merge]),
                        detail=f"{split.detail}, and merged back in that same order",
                        key=("both", number - node.number, *split.key),
                    )
                    yield both
    yield from _merges(graph, node)


def _splits(graph: Graph, node: Node) -> Iterator[Edit]:
    if node.name not in RESHAPING or len(node.shapes) != 1 or not node.operands:
        return
    old, new = graph.shapes[node.operands[0]], node.shapes[0]
    for axis in range(len(new) - 1):
        if new[axis] > 1 < new[axis + 1] and _is_prefix(old, new, axis):
            crossed = (*new[:axis], new[axis + 1], new[axis], *new[axis + 2 :])
            changes: dict[int, Replacement] = {
                node.number: lambda call, axis=axis, crossed=crossed: call.first.reshape(crossed).transpose(axis, axis + 1)
            }
            words = f"axis {axis} split into {new[axis + 1]} x {new[axis]}, with the first index varying fastest"
            yield Edit("layout", words, ("split", axis, new[axis], new[axis + 1]), changes)


def _is_prefix(old: tuple[int, ...], new: tuple[int, ...], axis: int) -> bool:
    """Whether the axis and the next one of the new shape come from one axis of the old shape."""
    product = new[axis] * new[axis + 1]
    before = torch.Size(new[:axis]).numel()
    return any(torch.Size(old[:place]).numel() == before and old[place] % product == 0 for place in range(len(old)))


def _merges(graph: Graph, node: Node) -> Iterator[Edit]:
    if node.name not in RESHAPING or len(node.shapes) != 1 or not node.operands:
        return
    old, new = graph.shapes[node.operands[0]], node.shapes[0]
    for axis in range(len(old) - 1):
        if old[axis] > 1 < old[axis + 1] and _is_prefix(new, old, axis):
            changes: dict[int, Replacement] = {node.number: lambda call, axis=axis: call.first.transpose(axis, axis + 1).reshape(new)}
            words = f"axes {axis} and {axis + 1} merged in the other order"
            yield Edit("layout", words, ("merge", axis, old[axis], old[axis + 1]), changes)
