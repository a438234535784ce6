"""Gradients stopped, let through, or stopped at the other operand (detach, stop_gradient)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ..calls import Call, Replacement
from ..graph import Graph, Made, Node
from .edit import Edit, joined, needs_of, run_on, value_of, with_operand

PLACES = 32
"""So many places in the code are tried, those nearest to the result: each takes a run forward and backward."""


def gradients(graph: Graph) -> Iterator[Edit]:
    """All edits of what gradients flow through, those of `detach` first."""
    exchanged: dict[str, list[Edit]] = {}
    for node in graph.nodes.values():
        exchanged.setdefault(node.name, []).extend(_exchanged(graph, node))
    for alike in exchanged.values():
        yield from alike
        if len(alike) > 1:
            yield joined(alike)
    spots: dict[Any, list[Node]] = {}
    for node in reversed(graph.nodes.values()):
        spots.setdefault(node.spot, []).append(node)
    for nodes in spots.values():
        if nodes[0].name == "detach":
            yield _let_through(graph, nodes)
    every = [node for node in graph.nodes.values() if node.name == "detach"]
    if len({node.spot for node in every}) > 1:
        yield _let_through(graph, every)
    for nodes in list(spots.values())[:PLACES]:
        node = nodes[0]
        for place, name in enumerate(dict.fromkeys(node.operands)):
            if name in graph.floats and node.name != "detach":
                operands = [(other, list(dict.fromkeys(other.operands))) for other in nodes]
                together = [(other, own[place]) for other, own in operands if place < len(own)]
                words = f"{graph.words(name)} detached where {node.name} reads it"
                needs = frozenset(made for other in nodes for made in needs_of(other))
                stopped = {other.number: with_operand(other, operand, torch.Tensor.detach) for other, operand in together}
                yield Edit("detach", words, ("stopped", place), stopped, needs)


def _let_through(graph: Graph, nodes: Sequence[Node]) -> Edit:
    changes: dict[int, Replacement] = {node.number: lambda call: call.first * 1 for node in nodes}
    words = " and ".join(dict.fromkeys(graph.words(node.operands[0]) for node in nodes))
    return Edit("detach", f"no detach of {words}", ("let through",), changes)


def _exchanged(graph: Graph, node: Node) -> Iterator[Edit]:
    """Of two operands the other one detached."""
    operands = list(dict.fromkeys(node.operands))
    stopped = [name for name in operands if isinstance(name, Made) and graph.nodes[name.number].name == "detach"]
    if len(operands) != 2 or len(stopped) != 1:
        return
    detached = stopped[0]
    source = graph.nodes[detached.number].operands[0]

    def compute(call: Call) -> Any:
        return run_on(node, lambda other: value_of(source, call) if other == detached else value_of(other, call).detach())

    words = "the other operand detached"
    yield Edit("detach", f"{words} in {node.name}", ("other",), {node.number: compute}, needs_of(node) | {source.number})
