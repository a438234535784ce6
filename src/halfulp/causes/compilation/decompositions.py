"""Which decomposition is wrong? Each one that a graph uses is left out, and what the graph gives then is measured."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ..scale import Distance
from .graphs import Graph, line_of
from .internals import copies, decomposition_table, lowered_by_aot, origin_of
from .judging import Judge


@dataclass(frozen=True)
class WrongDecomposition:
    """A decomposition without which the graph gives what it gives eagerly.

    Attributes:
        op: its name. registered: "file.py:12" of the function. source: the line of the user's code.
        before, left: what the graph differs by from its ops run eagerly, with the decomposition and without it.
    """

    op: str
    registered: str
    source: str
    before: Distance
    left: Distance


def wrong_decomposition(graph: Graph, ends: Callable[[], bool]) -> WrongDecomposition | None:
    """The decomposition that makes a graph wrong, the innermost where several take part.

    Args:
        graph: as dynamo captured it. ends: asked before each experiment whether the time is over.
    """
    judge = Judge(graph)
    table, depths = decomposition_table(), dict[Any, int]()
    before = judge.distance(_run(graph, _counted(table, depths))[0])
    if judge.is_rounding(before):
        return None
    for op in sorted(depths, key=lambda op: -depths[op]):
        if ends():
            return None
        results, lowered = _run(graph, {key: function for key, function in table.items() if key != op})
        left = judge.distance(results)
        if judge.is_rounding(left):
            node = next((node for node in lowered.graph.nodes if node.op == "call_function" and node.target == op), None)
            return WrongDecomposition(str(op), origin_of(table[op]), "" if node is None else line_of(node), before, left)
    return None


def _counted(table: Mapping[Any, Callable[..., Any]], depths: dict[Any, int]) -> dict[Any, Callable[..., Any]]:
    """The table, noting which ops are taken apart, and within how many others at most."""
    open_now = 0

    def counting(op: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*arguments: Any, **keywords: Any) -> Any:
            nonlocal open_now
            open_now += 1
            depths[op] = max(depths.get(op, 0), open_now)
            try:
                return function(*arguments, **keywords)
            finally:
                open_now -= 1

        return run

    return {op: counting(op, function) for op, function in table.items()}


def _run(graph: Graph, table: Mapping[Any, Callable[..., Any]]) -> tuple[Any, fx.GraphModule]:
    """What a graph gives with these decompositions, and the graph of ATen ops that it becomes."""
    kept: list[fx.GraphModule] = []

    def keep(lowered: fx.GraphModule, _: Any) -> Callable[..., Any]:
        kept.append(lowered)
        return lowered

    with torch.no_grad():
        results = lowered_by_aot(copy.deepcopy(graph.module), copies(graph.inputs), keep, table)(*copies(graph.inputs))
    return results, kept[-1]
