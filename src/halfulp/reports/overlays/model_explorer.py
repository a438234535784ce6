"""Node data for Google's Model Explorer: what each node of an exported graph adds, beside its op."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...errors import InputError
from ...origins import Origin
from ...origins.origin import Point
from ..colors import VERDICT_COLORS

QUANTITIES: dict[str, tuple[str, Callable[[Point], float]]] = {
    "of-the-limit": ("added, in units of the limit of rounding", lambda point: point.excess),
    "added": ("added, relative", lambda point: point.added),
    "total": ("difference, relative", lambda point: point.total),
}
"""What a file of node data can hold: its title there, and the number of a point."""

GRAPH = "graph"
"""The name that Model Explorer's adapter for PyTorch gives the graph of a .pt2 file."""

LARGEST = 1e300
"""Stands for infinity and NaN, which JSON has no numbers for."""

START = "#8b1a10"


class NodeOp(Protocol):
    """An op that a node runs: see `halfulp.recording.exported.ops_of`."""

    @property
    def node(self) -> str: ...  # noqa: D102
    @property
    def module(self) -> str: ...  # noqa: D102
    @property
    def op(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Keyed:
    """The points of a walk by the nodes that they belong to.

    Attributes:
        points: name of a node -> its points, in their order. left: points whose node is not known.
    """

    points: dict[str, tuple[Point, ...]]
    left: tuple[Point, ...]


def keyed(origin: Origin, ops: Sequence[NodeOp] = ()) -> Keyed:
    """Which node each point belongs to.

    Args:
        origin: of `locate`. Where `expected` was an exported program, its points say their nodes.
        ops: of the nodes of the graph, for a walk along any other recording of the model: the n-th op of a name in a module belongs to the
            node with the n-th op of that name there, if both have the same number of them. Where they differ (a fused op, a decomposition)
            nobody can tell, and the points are left.
    """
    names: dict[int, str] = {}
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for point in origin.walk:
        if point.source.startswith("%"):
            names[point.step] = point.source[1:].partition(" ")[0]
        elif point.phase in ("forward", "buffer") and point.step not in groups[point.module, point.op]:
            groups[point.module, point.op].append(point.step)
    nodes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for node_op in ops:
        nodes[node_op.module, node_op.op].append(node_op.node)
    for key, steps in groups.items():
        if len(steps) == len(nodes[key]):
            names.update(zip(steps, nodes[key]))
    found: dict[str, list[Point]] = defaultdict(list)
    for point in origin.walk:
        if point.step in names:
            found[names[point.step]].append(point)
    return Keyed(
        {name: tuple(points) for name, points in found.items()},
        tuple(point for point in origin.walk if point.step not in names),
    )


def node_data(origin: Origin, nodes: Keyed, quantity: str = "of-the-limit", *, graph: str = GRAPH) -> str:
    """The JSON text of a file of node data. Of several values that a node makes, the one that adds most counts.

    Args:
        origin: of `locate`. nodes: from `keyed`. quantity: one of `QUANTITIES`. graph: name of the graph in Model Explorer.

    Raises:
        InputError: an unknown quantity.

    References:
        https://github.com/google-ai-edge/model-explorer/wiki/2.-User-Guide#custom-node-data, the format.
    """
    if quantity not in QUANTITIES:
        raise InputError(
            f"Got quantity {quantity!r}. Needed: one of {', '.join(QUANTITIES)}. A file holds one number for each node. Choose one."
        )
    title, number = QUANTITIES[quantity]
    results: dict[str, dict[str, float | str]] = {}
    for name, points in nodes.points.items():
        point = max(points, key=lambda point: (point.excess, point.added))
        verdict = point.verdict.name if point.verdict is not None else ""
        color = {"bgColor": VERDICT_COLORS[verdict], "textColor": "#111111"}
        if any(origin.is_start(point) for point in points):
            color = {"bgColor": START, "textColor": "#ffffff"}
        value = number(point)
        results[name] = {"value": value if math.isfinite(value) else LARGEST, **color}
    return json.dumps({graph: {"name": f"halfulp: {title}", "results": results}}, indent=1, allow_nan=False) + "\n"
