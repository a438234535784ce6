"""Rates of decay, each with what it leaves of 1: exchanged, or as the other side has them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..calls import Replacement
from ..graph import Graph
from .edit import Edit, scalars

DECAYS = 8
"""So many numbers between 0 and 1 of each side are tried for each other: an optimizer has two or three."""


def decays(graph: Graph, others: Graph) -> Iterator[Edit]:
    """A rate of decay, together with what is left of 1, as another one: exchanged with another of the same side, or as the other side has it."""
    own, there = (_between_0_and_1(each)[:DECAYS] for each in (graph, others))
    pairs = [(first, second) for place, first in enumerate(own) for second in own[place + 1 :] if not _complementary(first, second)]
    for first, second in pairs:
        changes = _replaced(graph, {first: second, second: first})
        one, other = (max(value, 1 - value) for value in (first, second))
        yield Edit(
            "constant", f"{one:g} and {other:g} exchanged, as well as 1 - {one:g} and 1 - {other:g}", ("decays", first, second), changes
        )
    for first in own:
        for second in there:
            if second not in own and any(_complementary(first, other) for other in own):
                changes = _replaced(graph, {first: second})
                yield Edit(
                    "constant",
                    f"{second:g} instead of {first:g} (and {1 - second:g} instead of {1 - first:g})",
                    ("decay", first, second),
                    changes,
                )


def _between_0_and_1(graph: Graph) -> list[float]:
    counts: dict[float, int] = {}
    for node in graph.nodes.values():
        for _, value in scalars(node):
            if 0 < value < 1:
                counts[value] = counts.get(value, 0) + 1
    # Those of every round first; rounding of 1 - x makes two of one number.
    return sorted(counts, key=lambda value: (-counts[value], value))


def _complementary(first: float, second: float) -> bool:
    return math.isclose(first, 1 - second, rel_tol=1e-9)


def _replaced(graph: Graph, values: dict[float, float]) -> dict[int, Replacement]:
    changes: dict[int, Replacement] = {}
    for node in graph.nodes.values():
        found: dict[str, float] = {}
        for key, value in scalars(node):
            for old, new in values.items():
                if value == old:
                    found[key] = new
                elif _complementary(value, old):
                    found[key] = 1 - new
        if found:
            changes[node.number] = lambda call, found=found: call.again(**found)
    return changes
