"""The graphs of a compiled function: as dynamo captures them and lowered to ATen; and a program that shows all values inside."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from torch import fx

from ...process.alone import alone
from .compiled_function import compile_apart
from .internals import compiled_by_inductor, copies, debug, graph_lowering, lowered_by_aot

NEAR = 1024
"""Two values are one where they differ by at most so many roundings of their rms: sums of a million terms are that far apart in another order,
and two different values of a program are not that near."""


@dataclass(frozen=True, eq=False)
class Graph:
    """One graph of a compiled function.

    Attributes:
        module: the graph. inputs: what it was called with.
    """

    module: fx.GraphModule
    inputs: tuple[Any, ...]

    @property
    def nodes(self) -> list[fx.Node]:
        """Its ops."""
        return [node for node in self.module.graph.nodes if node.op == "call_function"]


def captured(function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]) -> list[Graph]:
    """The graphs of a function for these inputs as dynamo captures them, in the order in which they run; run without gradients."""
    found: list[Graph] = []
    with torch.no_grad():
        compile_apart(function, backend=_keeping(found))(*arguments, **keywords)
    return found


def _keeping(found: list[Graph]) -> Callable[[fx.GraphModule, Any], Callable[..., Any]]:
    """A backend that runs a graph as it is, and keeps it with what it was called with."""

    def keep(module: fx.GraphModule, _: Any) -> Callable[..., Any]:
        def run(*values: Any) -> Any:
            found.append(Graph(copy.deepcopy(module), tuple(copies(values))))
            return module(*values)

        return run

    return keep


def lowered(graph: Graph) -> Graph:
    """A captured graph lowered to ATen, taken apart as inductor takes it apart, for inference."""
    found: list[Graph] = []
    with torch.no_grad():
        lowered_by_aot(copy.deepcopy(graph.module), copies(graph.inputs), _keeping(found))(*copies(graph.inputs))
    return found[-1]


def values_of(graph: Graph) -> dict[str, Any]:
    """Every value of a graph run eagerly, by name of the node."""
    values: dict[str, Any] = {}

    class Recorder(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            values[n.name] = super().run_node(n)
            return values[n.name]

    with torch.no_grad():
        Recorder(graph.module).run(*graph.inputs)
    return values


def is_near(value: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors hold the same numbers, up to rounding and their shape."""
    if value.numel() != other.numel() or value.dtype != other.dtype:
        return False
    if not value.is_floating_point():
        return bool(torch.equal(value.reshape(-1), other.reshape(-1)))
    left, right = value.reshape(-1).double(), other.reshape(-1).double()
    size = left.square().mean().sqrt()
    apart = (left - right).square().mean().sqrt()
    return bool(apart <= NEAR * torch.finfo(value.dtype).eps * size) or bool(torch.equal(left.nan_to_num(), right.nan_to_num()))


def line_of(node: fx.Node) -> str:
    """The line of the user's code that a node comes from; Python's marks below it left out."""
    lines = [line.strip() for line in str(node.meta.get("stack_trace", "")).splitlines()]
    lines = [line for line in lines if line and set(line) - set("^~ ")]
    return lines[-1] if lines else ""


def shown(graph: Graph, values: Mapping[str, Any]) -> tuple[fx.GraphModule, list[str]]:
    """The graph with all its tensors as outputs, after its own; and the names of those."""
    module = copy.deepcopy(graph.module)
    output = next(node for node in module.graph.nodes if node.op == "output")
    extra = [node for node in module.graph.nodes if node.op == "call_function" and isinstance(values.get(node.name), torch.Tensor)]
    own = output.args[0] if isinstance(output.args[0], (tuple, list)) else (output.args[0],)
    output.args = ((*own, *extra),)
    module.recompile()
    return module, [node.name for node in extra]


def compiled_values(graph: Graph, values: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Every value inside the generated program, and what it returns."""
    module, names = shown(graph, values)
    with torch.no_grad():
        results = compiled_by_inductor(module, graph.inputs, options)(*copies(graph.inputs))
    own = len(results) - len(names)
    return dict(zip(names, results[own:])), tuple(results[:own])


@dataclass(frozen=True)
class Kernel:
    """One generated function.

    Attributes:
        name: of it. source: its code, "" for a library's kernel. nodes: of the graph that it computes.
    """

    name: str
    source: str
    nodes: tuple[str, ...]


def kernels_of(graph: Graph, options: Mapping[str, Any]) -> tuple[list[Kernel], tuple[Any, ...]]:
    """The kernels that inductor makes of a graph, and what the program returns."""
    provenance, lowering = debug(), graph_lowering()
    codes: list[str] = []
    made: dict[str, list[str]] = {}
    back: dict[str, list[str]] = {}
    with alone(), contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        if hasattr(lowering, "save_output_code"):
            stack.enter_context(mock.patch.object(lowering, "save_output_code", codes.append))
        patches: dict[str, Any] = {**options, "force_disable_caches": True}
        dump = getattr(provenance, "dump_inductor_provenance_info", None)
        if dump is not None:  # the globals are emptied when compiling ends: they are read at the last moment

            def kept(*arguments: Any, **keywords: Any) -> Any:
                made.update({key: list(value) for key, value in provenance._inductor_triton_kernel_to_post_grad_node_info.items()})
                back.update(
                    {key: list(value) for key, value in dict(provenance._inductor_post_to_pre_grad_nodes).get("postToPre", {}).items()}
                )
                return dump(*arguments, **keywords)

            stack.enter_context(mock.patch.object(provenance, "dump_inductor_provenance_info", kept))
            patches["trace.provenance_tracking_level"] = 1
        results = compiled_by_inductor(copy.deepcopy(graph.module), graph.inputs, patches)(*copies(graph.inputs))
    sources: dict[str, str] = {}
    for code in codes:
        sources |= {match.group(1): match.group(2).strip() for match in _SOURCE.finditer(code)}
    kernels: list[Kernel] = []
    for key, nodes in made.items():
        name = key.rpartition(":")[0] or key
        own = dict.fromkeys(word for node in nodes for word in (back.get(node) or [node]))
        kernels.append(Kernel(name, sources.get(name, ""), tuple(own)))
    return kernels, tuple(results)


_SOURCE = re.compile(r"^(\w+) = async_compile\.\w+\(.*?r?'''(.*?)'''", re.MULTILINE | re.DOTALL)
