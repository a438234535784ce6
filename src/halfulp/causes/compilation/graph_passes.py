"""Which pass over graphs is wrong, and at which op? Passes that people added are left out; values before and after all passes are compared."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ..scale import Distance
from .graphs import Graph, is_near, line_of, lowered, values_of
from .internals import config, copies, origin_of, passed, passes_of_users
from .judging import Judge


@dataclass(frozen=True)
class WrongPass:
    """A pass over graphs that changes what a graph gives.

    Attributes:
        name: the option that holds it; "" for one of inductor's own. registered: "file.py:12" of it.
        op: whose value is no longer computed; "" where that can't be told. source: the line of the user's code.
        before: what the graph differs by from its ops run eagerly.
    """

    name: str
    registered: str
    op: str
    source: str
    before: Distance


def wrong_pass(graph: Graph, options: Mapping[str, Any], ends: Callable[[], bool]) -> WrongPass | None:
    """The pass that makes a graph wrong.

    Args:
        graph: as dynamo captured it. options: of inductor. ends: asked before each experiment whether the time is over.
    """
    judge = Judge(graph)
    results, after = _run(graph, options)
    before = judge.distance(results)
    if judge.is_rounding(before):
        return None
    name, registered = "", ""
    for option, function in passes_of_users().items():
        if ends():
            break
        with config().patch({option: None}):
            if judge.is_rounding(judge.distance(_run(graph, options)[0])):
                name, registered = option, origin_of(function if hasattr(function, "__code__") else type(function).__call__)
                break
    node = _lost(lowered(graph), after)
    return WrongPass(name, registered, "" if node is None else _op_of(node), "" if node is None else line_of(node), before)


def _op_of(node: fx.Node) -> str:
    """The op, and the one that it is a part of."""
    own, whole = str(node.target), str(node.meta.get("original_aten") or "")
    return f"{own} of {whole}" if whole and whole != own else own


def _run(graph: Graph, options: Mapping[str, Any]) -> tuple[Any, fx.GraphModule]:
    kept: list[fx.GraphModule] = []
    with torch.no_grad():
        results = passed(copy.deepcopy(graph.module), copies(graph.inputs), options, kept)(*copies(graph.inputs))
    return results, kept[-1]


def _lost(before: Graph, after: fx.GraphModule) -> fx.Node | None:
    """The op of a graph whose value a changed graph has no longer, though it has what the op reads: going back from the outputs."""
    values = values_of(before)
    try:
        kept = [value for value in values_of(Graph(after, before.inputs)).values() if isinstance(value, torch.Tensor)]
    except Exception:  # the passes changed what the graph takes
        return None

    def is_lost(node: fx.Node) -> bool:
        value = values.get(node.name)
        return node.op == "call_function" and isinstance(value, torch.Tensor) and not any(is_near(value, other) for other in kept)

    readers = [next(node for node in before.module.graph.nodes if node.op == "output")]
    seen = set(readers)
    while readers:
        node = readers.pop(0)
        lost = [source for source in _sources(node, values) if is_lost(source)]
        if not lost and node.op != "output":
            return node
        readers += [source for source in lost if source not in seen]
        seen |= set(lost)
    return None


def _sources(node: fx.Node, values: Mapping[str, Any]) -> list[fx.Node]:
    """The tensors that an op reads; for parts of a tuple, what the op that makes the tuple reads."""
    found: list[fx.Node] = []
    for source in node.all_input_nodes:
        is_tensor = isinstance(values.get(source.name), torch.Tensor) or source.op != "call_function"
        found += [source] if is_tensor else _sources(source, values)
    return found
