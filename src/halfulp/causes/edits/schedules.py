"""Numbers that change from round to round, as the other side has them: schedules, bias corrections, warm-ups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..calls import Replacement
from ..graph import Graph, Node
from .edit import Edit, joined, scalars

SHOWN = 3
"""So many numbers of a schedule are said; the rest is dots."""
FAR = 100.0
"""Numbers of a place stand for the same thing if none is more than a hundred times the other: a schedule goes over two orders of magnitude."""
PLACES = 12
"""So many places of the other side are tried for each place: an optimizer has about as many lines."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """What one argument of one line is, round by round.

    Attributes:
        nodes: the calls of the line, in order. key: name of the argument. values: of each call.
    """

    nodes: Sequence[Node]
    key: str
    values: Sequence[float]

    @property
    def changes(self) -> bool:
        """Whether the number is another one in some round."""
        return any(value != self.values[0] for value in self.values)


def schedules(graph: Graph, others: Graph) -> Iterator[Edit]:
    """The numbers of each line as a line of the other side has them; then those of all lines at once."""
    elsewhere = list(_numbers(others))
    together: list[Edit] = []
    for own in _numbers(graph):
        usable = sorted((other for other in elsewhere if _may_be(own, other)), key=lambda other: _distance(own, other))[:PLACES]
        found = [_as_there(own, other) for other in usable]
        yield from found
        together += found[:1] if usable and _distance(own, usable[0]) < (True, 0.0) else []
    if len(together) > 1:
        details = " and ".join(dict.fromkeys(edit.detail for edit in together))
        yield replace(joined(together), detail=details, key=("rounds", "all"))


def _numbers(graph: Graph) -> Iterator[Numbers]:
    lines: dict[Any, list[Node]] = {}
    for node in graph.nodes.values():
        lines.setdefault(node.path, []).append(node)
    for nodes in lines.values():
        found = [dict(scalars(node)) for node in nodes]
        for key in found[0] if len(nodes) > 1 else ():
            if all(key in each for each in found):
                yield Numbers(nodes, key, [each[key] for each in found])


def _may_be(own: Numbers, other: Numbers) -> bool:
    """Whether the numbers of another line may stand for those of one: as many, of like size whatever their sign, and not the same."""
    if len(own.values) != len(other.values) or not (own.changes or other.changes):
        return False
    if all(math.isclose(abs(first), abs(second), rel_tol=1e-9) for first, second in zip(own.values, other.values)):
        return False
    return all(first == 0 or second == 0 or 1 / FAR <= abs(first / second) <= FAR for first, second in zip(own.values, other.values))


def _distance(own: Numbers, other: Numbers) -> tuple[bool, float]:
    """How unlike two schedules are: of another op or argument; the median of the factors between them."""
    alike = own.nodes[0].name == other.nodes[0].name and own.key == other.key
    factors = sorted(abs(math.log(abs(first / second))) for first, second in zip(own.values, other.values) if first and second)
    return not alike, factors[len(factors) // 2] if factors else 0.0


def _as_there(own: Numbers, other: Numbers) -> Edit:
    is_turned = sum(own.values) * sum(other.values) < 0  # what is added here is subtracted there
    values = [-value for value in other.values] if is_turned else list(other.values)
    changes: dict[int, Replacement] = {
        node.number: lambda call, key=own.key, value=value: call.again(**{key: value}) for node, value in zip(own.nodes, values)
    }
    first = next(place for place, (here, there) in enumerate(zip(own.values, values)) if not math.isclose(here, there, rel_tol=1e-9))
    begins = f" from iteration {first + 1} on" if first else ""
    words = f"{own.key} = {_words(values[first:])}{_shift(own.values, values)} instead of {_words(own.values[first:])}{begins}"
    return Edit("schedule", words, ("rounds", own.key, other.nodes[0].number), changes)


def _words(values: Sequence[float]) -> str:
    shown = [f"{value:.4g}" for value in values[:SHOWN]]
    return ", ".join([*shown, *(["..."] if len(values) > SHOWN else [])])


def _shift(own: Sequence[float], other: Sequence[float]) -> str:
    """Whether the others are the same numbers one round earlier or later."""
    if len(own) < 3:
        return ""
    later = all(math.isclose(first, second, rel_tol=1e-9) for first, second in zip(own[1:], other[:-1]))
    earlier = all(math.isclose(first, second, rel_tol=1e-9) for first, second in zip(own[:-1], other[1:]))
    return " (one iteration later: off by one)" if later else " (one iteration earlier: off by one)" if earlier else ""
