"""Calls, functions and modules left out, added, exchanged, or made somewhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from ..calls import Call, Replacement, tensors_in
from ..graph import WRITES, Graph, Made, Name, Node, names_in
from .edit import OPERANDS, Edit, Maker, needs_of, run_on, value_of, with_values

Block = tuple[tuple[int, ...], Name, str]
"""Calls, the value that they begin with, and what they are called."""


def left_out(graph: Graph, node: Node) -> Iterator[Edit]:
    """The call, or the block that it ends, handing on what it reads."""
    if node.name in WRITES:
        yield Edit("op left out", "no assignment", ("write",), {node.number: lambda _: None})
        return
    for name in dict.fromkeys(node.operands):
        if (graph.shapes[name],) == node.shapes:
            changes: dict[int, Replacement] = {node.number: lambda call, name=name: value_of(name, call).clone()}
            yield Edit("op left out", f"no {node.name}", ("call",), changes, needs_of(node))  # the first one of its operands handed on
            break
    block = _block(graph, node)
    if block is not None:
        members, source, words = block
        changes = {members[-1]: lambda call: value_of(source, call).clone()}
        yield Edit("op left out", f"no {words}", ("block",), changes, frozenset({source.number, *members}))


def reordered(graph: Graph, node: Node) -> Iterator[Edit]:
    """The next call made first."""
    made = Made(node.number, 0)
    for number in graph.reading(node.number):
        following = graph.nodes[number]
        if graph.readers.get(made) != [number] or len(node.shapes) != 1 or len(following.shapes) != 1:
            continue
        for place, name in enumerate(dict.fromkeys(node.operands)):
            early: dict[Name, Name] = {made: name}
            late: dict[Name, Name] = {name: made}
            changes = {node.number: with_values(early, following), number: with_values(late, node)}
            words = f"{following.name} before {node.name} instead of after it"
            yield Edit(
                "order of operations", words, (number - node.number, place), changes, needs_of(node) | needs_of(following) | {node.number}
            )


def moved(graph: Graph, node: Node) -> Iterator[Edit]:
    """A call, or the block that it ends, made at another value of the same shape."""
    for members, source, words in filter(None, (_alone(graph, node), _block(graph, node))):
        result = Made(members[-1], 0)
        for other in (*graph.values_like(result, members[0])[:OPERANDS], *_later(graph, result)[:OPERANDS]):
            if not isinstance(other, Made) or other == source or other.number in members:
                continue
            target = graph.nodes[other.number]
            if target.shapes != (graph.shapes[other],):
                continue
            needs = frozenset(made for number in (*members, target.number) for made in (*needs_of(graph.nodes[number]), number))
            changes: dict[int, Replacement] = {
                members[-1]: lambda call, source=source: value_of(source, call),
                other.number: _followed_by(graph, members, source),
            }
            detail = f"{words} after {target.name}{_at_line(target)} instead of after {graph.words(source)}"
            yield Edit("order of operations", detail, (len(members), other.number - node.number), changes, needs)


def _later(graph: Graph, name: Name) -> list[Name]:
    shape = graph.shapes[name]
    return sorted(
        (other for other, known in graph.shapes.items() if known == shape and other.number > name.number and isinstance(other, Made)),
        key=lambda other: other.number,
    )


def _at_line(node: Node) -> str:
    line = node.source.partition(" ")[0].rpartition(":")[2]
    return f" in line {line}" if line else ""


def _followed_by(graph: Graph, members: tuple[int, ...], source: Name) -> Replacement:
    """What a call gives, with the calls of a block made on it."""

    def compute(call: Call) -> Any:
        return _block_on(graph, members, source, call.again(), call)

    return compute


def _block_on(graph: Graph, members: tuple[int, ...], source: Name, value: torch.Tensor, call: Call) -> Any:
    known: dict[Name, torch.Tensor] = {source: value}
    result: Any = value

    def tensor_of(name: Name) -> torch.Tensor:
        return known[name] if name in known else value_of(name, call)

    for number in members:
        result = run_on(graph.nodes[number], tensor_of)
        known.update({Made(number, index): tensor for index, tensor in enumerate(tensors_in(result))})
    return result


def _alone(graph: Graph, node: Node) -> Block | None:
    if len(node.shapes) != 1:
        return None
    source = next((name for name in node.operands if graph.shapes[name] == node.shapes[0]), None)
    return None if source is None else ((node.number,), source, node.name)


def _block(graph: Graph, node: Node) -> Block | None:
    """The invocation of a function or module that ends with this call, if it takes one value to another one of the same shape."""
    if len(node.shapes) != 1:
        return None
    for depth in range(len(node.blocks), 1, -1):
        path = node.blocks[:depth]
        members = tuple(number for number, other in graph.nodes.items() if other.blocks[:depth] == path)
        if len(members) < 2 or members[-1] != node.number:
            continue
        read = [name for number in members for name in graph.nodes[number].operands]
        outer = [name for name in dict.fromkeys(read) if not (isinstance(name, Made) and name.number in members)]
        sources = [name for name in outer if graph.shapes[name] == node.shapes[0] and name in graph.floats]
        used_outside = any(
            reader not in members
            for number in members[:-1]
            for index in range(len(graph.nodes[number].shapes))
            for reader in graph.readers.get(Made(number, index), ())
        )
        if len(sources) == 1 and not used_outside:
            return (
                members,
                sources[0],
                path[-1].partition(" ")[0] if not path[-1].startswith("module ") else path[-1].removeprefix("module "),
            )
    return None


def adding(others: Graph, there: Iterable[Node]) -> Maker:
    """What the other side computes from one value, computed here too."""
    kinds: dict[str, Node] = {}
    for node in there:
        operands = list(dict.fromkeys(node.operands))
        if len(operands) == 1 and node.shapes == (others.shapes[operands[0]],):
            kinds.setdefault(f"{node.name} {dict(node.keywords)} {[part for part in node.arguments if not list(names_in(part))]}", node)

    def added(_: Graph, node: Node) -> Iterator[Edit]:
        if len(node.shapes) != 1 or not node.is_float:
            return
        for kind, other in kinds.items():

            def compute(call: Call, other: Node = other) -> Any:
                result = call.again()
                return run_on(other, lambda _: result)

            numbers = [f"{part:g}" for part in other.arguments if type(part) in (int, float)]
            words = f"{other.name}({', '.join(numbers)})" if numbers else other.name
            yield Edit("op added", f"{words} after {node.name}", (kind,), {node.number: compute})

    return added
