"""The edits around a place.

Each is an experiment like any other: the function runs with the edit made, and what becomes of the difference is measured. They are tried
where the difference begins and nowhere else: anywhere else there are too many. What a line of code computes in a loop, or for several
callers, is edited each time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..graph import Graph, Node
from ..hypotheses import FORMULA
from ..trial import Trial
from .axes import axes, turned
from .decays import decays
from .edit import Edit, Maker, joined
from .layout import regrouped
from .operands import exchanged, operands, swapped
from .operations import averaged_ratios, exchanged_ops, neutral_operands, reformed
from .positions import line_of_indices, shifted_indices
from .schedules import schedules
from .sequence import adding, left_out, moved, reordered

CALLS = 24
"""So many calls around a place are edited, those nearest to where the difference was seen."""
ONE_BY_ONE = 3
"""Calls from one place in the code are edited one by one too where they are no more than this: several layers, not the steps of a loop."""


def edits(graph: Graph, others: Graph, at: Iterable[int], others_at: Iterable[int]) -> Iterator[Edit]:
    """The edits of one side around a place, simple ones first.

    Args:
        graph: of the side that is edited, others: of the other one. at, others_at: the calls of each at the place.
    """
    yield from schedules(graph, others)
    yield from decays(graph, others)
    added = adding(others, _around(others, others_at)[0])
    makers = (
        neutral_operands, left_out, swapped, exchanged_ops, averaged_ratios, operands, axes, shifted_indices, line_of_indices, exchanged, reordered, turned, regrouped,
        moved, reformed, added,
    )  # fmt: skip
    for nodes in _around(graph, at):
        for make in makers:
            for node in nodes:
                yield from _everywhere(graph, node, make)


def trial_of(edit: Edit, graph: Graph, side: str, rank: int) -> Trial:
    """The trial that makes an edit."""
    node = graph.nodes[min(edit.changes)]
    other = "actual" if side == "expected" else "expected"
    where = f"{node.name} ({node.source})" if node.source else node.name
    return Trial(
        edit.name, FORMULA, edit.detail, side, remedy=f"with {edit.detail}, `{side}` agrees with `{other}`: compare this line on both sides", place=where,
        changes=edit.changes, rank=rank, first_only=True, calls=frozenset(graph.nodes[number].name for number in edit.changes), needs=edit.needs,
    )  # fmt: skip


def _around(graph: Graph, at: Iterable[int]) -> tuple[list[Node], list[Node]]:
    """The calls at a place (the last one, where a side has none) and beside it, and those further off; one of each place in the code.

    Beside it are the calls that make what they read or read what they make. Further off are those that lead to them.
    """
    own = sorted((number for number in at if number in graph.nodes), reverse=True) or [max(graph.nodes, default=0)]
    if not graph.nodes:
        return [], []
    beside = {made for number in own for made in graph.made_from(number)} | {reader for number in own for reader in graph.reading(number)}
    # What reads the same values before: an assignment to a part of one is such a call.
    beside |= {reader for number in own for name in graph.nodes[number].operands for reader in graph.readers[name] if reader < number}
    found: dict[tuple[Any, ...], Node] = {}
    for number in (*own, *sorted(beside - set(own), reverse=True)):
        found.setdefault(graph.nodes[number].path, graph.nodes[number])
    near = list(found.values())[:CALLS]
    edge, seen = {*own, *beside}, {*own, *beside}
    while edge and len(found) < CALLS:
        edge = {made for number in edge for made in graph.made_from(number)} - seen
        seen |= edge
        for number in sorted(edge, reverse=True):
            found.setdefault(graph.nodes[number].path, graph.nodes[number])
    return near, list(found.values())[len(near) : CALLS]


def _everywhere(graph: Graph, node: Node, make: Maker) -> Iterator[Edit]:
    """The edits of a call: wherever the same code runs, then from the same callers only, then by itself where these are few."""
    alike = [other for other in graph.nodes.values() if other.spot == node.spot]
    same_path = [other for other in alike if other.path == node.path]
    groups: list[Sequence[Node]] = [alike]
    if make is shifted_indices and len(alike) > ONE_BY_ONE:  # the ends of a loop are often right
        groups += [alike[1:], alike[:-1]]
    if len(same_path) < len(alike):
        groups.append(same_path)
    if 1 < len(same_path) <= ONE_BY_ONE:
        groups += [[other] for other in same_path]
    found: dict[int, dict[tuple[Any, ...], Edit]] = {}
    for other in alike:
        found[other.number] = {}
        with contextlib.suppress(Exception):  # an edit that doesn't suit an unusual call is not made there
            for edit in make(graph, other):
                found[other.number].setdefault(edit.key, edit)
    own: dict[tuple[Any, ...], Edit] = {}
    for other in alike:
        own = {**found[other.number], **own}
    for key in own:
        for group in groups:
            together = [found[other.number][key] for other in group if key in found[other.number]]
            if together:
                yield joined(together)
