"""Another value as an operand: of the same shape, of the round before, a constant, or two of them exchanged."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import torch

from ..graph import Graph, Made, Name, Node
from .edit import OPERANDS, Edit, needs_of, with_operand, with_values

HOPS = 3
"""What a value was made from so many calls before may stand in its place: a term is added and scaled in as many."""
CONSTANTS = (1.0, 0.0)
"""What stands in place of a number that is computed where a port has none."""


def operands(graph: Graph, node: Node) -> Iterator[Edit]:
    """Another value of the same shape as an operand."""
    for place, name in enumerate(dict.fromkeys(node.operands)):
        for other in dict.fromkeys((*_beside(graph, name), *graph.values_like(name, node.number)[:OPERANDS])):
            names = {name: other}
            earlier = " one iteration earlier" if graph.words(other) == graph.words(name) and other.number < name.number else ""
            words = f"{graph.words(other)}{earlier} instead of {graph.words(name)}"
            key = (place, *_role(graph, other, node))
            yield Edit("wrong operand", words, key, {node.number: with_values(names, node)}, needs_of(node, names))
        if graph.shapes[name] == () and name in graph.floats:
            for constant in CONSTANTS:
                compute = with_operand(node, name, lambda tensor, constant=constant: torch.full_like(tensor, constant))
                words = f"the constant {constant:g} instead of {graph.words(name)}"
                yield Edit("wrong operand", words, (place, constant), {node.number: compute}, needs_of(node))


def _beside(graph: Graph, name: Name) -> Iterator[Name]:
    """What is next to a value: the parts before and after it, what the same line gave one round earlier, what it was made from."""
    if not isinstance(name, Made):
        return
    node = graph.nodes[name.number]
    for index in (name.index - 1, name.index + 1):
        if 0 <= index < len(node.shapes) and node.shapes[index] == node.shapes[name.index]:
            yield Made(name.number, index)
    earlier = [number for number, other in graph.nodes.items() if number < name.number and other.path == node.path]
    if earlier and graph.nodes[earlier[-1]].shapes == node.shapes:
        yield Made(earlier[-1], name.index)
    sources = [name]
    for _ in range(HOPS):
        sources = [source for made in sources if isinstance(made, Made) for source in graph.nodes[made.number].operands]
        yield from (source for source in sources if graph.shapes[source] == graph.shapes[name] and source in graph.floats)


def _role(graph: Graph, name: Name, node: Node) -> tuple[Any, ...]:
    """Which value it is, seen from a call: the same for the same variable in each round of a loop, wherever it came from at first."""
    readers = [number for number in graph.readers.get(name, ()) if number < node.number]
    if readers:
        return "read", readers[-1] - node.number, graph.nodes[readers[-1]].operands.index(name)
    return (type(name).__name__, name.number - node.number if isinstance(name, Made) else name.number, name.index)


def swapped(graph: Graph, node: Node) -> Iterator[Edit]:
    """Two operands in each other's place."""
    operands = list(dict.fromkeys(node.operands))
    for (place, first), (other_place, second) in itertools.combinations(enumerate(operands), 2):
        if graph.shapes[first] == graph.shapes[second] or node.name in ("matmul", "mm", "bmm"):
            names = {first: second, second: first}
            words = f"the operands of {node.name} swapped"
            yield Edit("swapped operands", words, (place, other_place), {node.number: with_values(names, node)}, needs_of(node))


def exchanged(graph: Graph, node: Node) -> Iterator[Edit]:
    """Two values in each other's place, for all that read them."""
    for other in graph.nodes.values():
        same_call = other.function is node.function and other.operands == node.operands and other.shapes == node.shapes
        if other.number > node.number and same_call and (other.arguments, other.keywords) != (node.arguments, node.keywords):
            changes = {node.number: with_values({}, other), other.number: with_values({}, node)}
            words = f"the parts taken by {_lines(node, other)} swapped"
            yield Edit("order of parts", words, ("parts", other.number - node.number), changes, needs_of(node) | needs_of(other))
    made = Made(node.number, 0)
    for other in graph.values_like(made, node.number)[:OPERANDS] if node.shapes else ():
        readers = {number for name in (made, other) for number in graph.readers.get(name, ()) if number > node.number}
        if len(readers) > 1 and isinstance(other, Made):
            names: dict[Name, Name] = {made: other, other: made}
            words = f"{graph.words(made)} and {graph.words(other)} exchanged"
            needs = frozenset({node.number, other.number, *(number for reader in readers for number in needs_of(graph.nodes[reader]))})
            changes = {number: with_values(names, graph.nodes[number]) for number in readers}
            yield Edit("wrong operand", words, ("values", other.number - node.number, other.index), changes, needs)


def _lines(*nodes: Node) -> str:
    """The lines of source ("lines 12 and 13", "line 12"); "two calls of getitem" where they are not known."""
    lines = list(dict.fromkeys(node.source.partition(" ")[0].rpartition(":")[2] for node in nodes))
    if not all(lines):
        return f"two calls of {nodes[0].name}"
    return f"line{'s' if len(lines) > 1 else ''} {' and '.join(lines)}"
