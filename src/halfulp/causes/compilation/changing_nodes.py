"""Which op of a compiled graph changes the result? Every value inside the generated program is shown, and each op judged by itself."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

from ...cases import Case
from ...differences import Leaf
from ...differences.leaves import leaves_of
from ...noise import noise_of
from ..cause import NodeResult
from ..scale import Scale
from .graphs import Graph, Kernel, compiled_values, kernels_of, line_of, values_of
from .internals import compiled_by_inductor, copies, foreign_generator, foreign_lowering, is_aten


def changing_nodes(graph: Graph, options: Mapping[str, Any]) -> tuple[list[NodeResult], str]:
    """The ops of a graph that don't give what they give eagerly, in order; and a note where the view is not the program itself.

    The program is compiled once more with every tensor inside as an output, and each op is evaluated eagerly on the values that it reads
    there: what differs is what the op adds by itself.
    """
    eager = values_of(graph)
    inside, results = compiled_values(graph, eager, options)
    kernels, plain = kernels_of(graph, options)
    note = (
        ""
        if _same(results, plain)
        else (
            "Exposing the intermediate values changed the compiled program, so these findings hold for the changed "
            "program, not the original."
        )
    )
    placeholders = [node for node in graph.module.graph.nodes if node.op == "placeholder"]
    inputs = {node.name: value for node, value in zip(placeholders, graph.inputs)}
    found: list[NodeResult] = []
    for node in graph.nodes:
        value = inside.get(node.name)
        if value is None:
            continue
        result = _node_result(node, {**eager, **inside, **inputs}, value)
        if result is not None:
            found.append(_with_kernel(result, kernels))
    if found:
        first = next((node_result for node_result in found if node_result.beyond), found[0])
        alone = _alone(graph, first.name, {**eager, **inside, **inputs}, options)
        place = found.index(first)
        node = next(node for node in graph.nodes if node.name == first.name)
        found[place] = dataclasses.replace(
            first, alone=alone, lowering=foreign_lowering(node.target), generator=foreign_generator(node.target)
        )
    return found, note


def _same(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return len(left) == len(right) and all(
        not isinstance(here, torch.Tensor) or (here.shape == there.shape and bool(torch.equal(here.nan_to_num(), there.nan_to_num())))
        for here, there in zip(left, right)
    )


def _arguments(node: fx.Node, values: Mapping[str, Any]) -> tuple[Any, Any]:
    def value(read: fx.Node) -> Any:
        if read.name not in values and read.op == "call_function":  # a part of a tuple
            return read.target(*_arguments(read, values)[0])  # type: ignore[operator]
        return values[read.name]

    return fx.map_arg(node.args, value), fx.map_arg(node.kwargs, value)


def _node_result(node: fx.Node, values: Mapping[str, Any], value: torch.Tensor) -> NodeResult | None:
    parent = node.args[0] if node.args and isinstance(node.args[0], fx.Node) else None
    through = (
        parent if "getitem" in str(node.target) and parent is not None else node
    )  # a part of a tuple is judged with the op that made it
    arguments, keywords = _arguments(through, values)
    tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    if not tensors or not is_aten(through.target):
        return None

    def op(*given: Any) -> Any:
        rest = iter(given)
        result = through.target(*(next(rest) if isinstance(argument, torch.Tensor) else argument for argument in arguments), **keywords)  # type: ignore[operator]
        return result if through is node else result[node.args[1]]

    with torch.no_grad():
        expected = op(*tensors)
    left, right = _leaf(value), _leaf(expected)
    unequal = Scale.unequal(left, right)
    if not unequal:
        return None
    noise = None
    case = Case(op, op, tuple(tensor.detach().clone() for tensor in tensors))
    with contextlib.suppress(Exception):
        noise = noise_of(case)
    scale = Scale(case, noise)
    distance = scale.distance((left,), (right,))
    return NodeResult(
        node.name,
        str(through.target),
        line_of(node),
        unequal,
        count=distance.count,
        in_noise=distance.rms,
        beyond=not scale.within(distance),
    )


def _leaf(value: torch.Tensor) -> Leaf:
    return leaves_of(value)[0]


def _with_kernel(result: NodeResult, kernels: Sequence[Kernel]) -> NodeResult:
    own = [kernel for kernel in kernels if result.name in kernel.nodes]
    if not own:
        return result
    return dataclasses.replace(result, kernel=own[-1].name, code=own[-1].source)


def _alone(graph: Graph, name: str, values: Mapping[str, Any], options: Mapping[str, Any]) -> int | None:
    """The op compiled by itself on the same inputs: how many elements have other bits than eagerly."""
    node = next(node for node in graph.nodes if node.name == name)
    if not is_aten(node.target):
        return None
    arguments, keywords = _arguments(node, values)
    single = fx.Graph()
    given: list[torch.Tensor] = []

    def place(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            given.append(item)
            return single.placeholder(f"input_{len(given)}")
        return item

    read = tuple(
        tuple(place(part) for part in argument) if isinstance(argument, (list, tuple)) else place(argument) for argument in arguments
    )
    target: Any = node.target
    made = single.call_function(target, read, dict(keywords))
    single.output((made,))
    module: Any = fx.GraphModule(torch.nn.Module(), single)
    with contextlib.suppress(Exception), torch.no_grad():
        expected = module(*given)[0]
        if isinstance(expected, torch.Tensor):
            result = compiled_by_inductor(module, copies(given), options)(*copies(given))[0]
            return Scale.unequal(_leaf(result), _leaf(expected))
    return None
