"""Edit: one change of a graph, and what a changed call computes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ..calls import Call, Replacement
from ..graph import Given, Graph, Name, Node, with_tensors
from ..signatures import parameters_of

OPERANDS = 12
"""So many other values are tried as an operand."""


@dataclass(frozen=True)
class Edit:
    """One change of a graph.

    Attributes:
        name: what kind it is. detail: in words that follow "with". key: what it does, relative to the call: the same for
            calls that are edited alike.
        changes: what calls compute instead. needs: calls whose operands and results these read.
    """

    name: str
    detail: str
    key: tuple[Any, ...]
    changes: Mapping[int, Replacement]
    needs: frozenset[int] = frozenset()


Maker = Callable[[Graph, Node], Iterator[Edit]]


def joined(together: Sequence[Edit]) -> Edit:
    """Several edits as one, under the name of the last."""
    changes = {number: change for edit in reversed(together) for number, change in edit.changes.items()}
    # In the first round of a loop values come from before it: the last one has their usual names.
    return replace(together[-1], changes=changes, needs=frozenset(number for edit in together for number in edit.needs))


def run_on(node: Node, tensor_of: Callable[[Name], torch.Tensor]) -> Any:
    """A call of the graph, run again on these tensors."""
    keywords = {key: with_tensors(value, tensor_of) for key, value in node.keywords.items()}
    return node.function(*with_tensors(node.arguments, tensor_of), **keywords)


def value_of(name: Name, call: Call) -> torch.Tensor:
    """A value of this run, while a call is made.

    Raises:
        LookupError: it is not there yet.
    """
    if isinstance(name, Given):
        operands = call.operands if name.number == call.number else call.earlier[name.number].operands
        return operands[name.index]
    return call.earlier[name.number].results[name.index]


def with_values(names: Mapping[Name, Name], node: Node) -> Replacement:
    """A call of the graph with other values in some places."""
    return lambda call: run_on(node, lambda name: value_of(names.get(name, name), call))


def with_operand(node: Node, name: Name, change: Callable[[torch.Tensor], torch.Tensor]) -> Replacement:
    """A call of the graph with one of its operands changed."""
    return lambda call: run_on(node, lambda other: change(value_of(other, call)) if other == name else value_of(other, call))


def needs_of(node: Node, names: Mapping[Name, Name] | None = None) -> frozenset[int]:
    """The calls that made what a call reads, and what takes its place."""
    return frozenset(name.number for name in (*node.operands, *(names or {}).values()))


def integers(node: Node) -> Iterator[tuple[str, Any]]:
    """The arguments that are whole numbers, by name."""
    names = parameters_of(node.function, node.name)
    for key, value in (*zip(names, node.arguments), *node.keywords.items()):
        is_tuple = isinstance(value, (tuple, list)) and value and all(type(part) is int for part in value)
        if type(value) is int or is_tuple:
            yield key, value


def scalars(node: Node) -> Iterator[tuple[str, float]]:
    """The arguments that are floating-point numbers of the program, by name."""
    names = parameters_of(node.function, node.name)
    for key, value in (*zip(names, node.arguments), *node.keywords.items()):
        if type(value) is float and math.isfinite(value):
            yield key, value
