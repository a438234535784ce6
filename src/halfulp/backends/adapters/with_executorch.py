"""ExecuTorch: lowered to XNNPACK as far as it goes, or to its own kernels alone."""

from __future__ import annotations

import contextlib
import logging
import operator
import os
import sys
import tempfile
import warnings
from collections.abc import Generator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from ...errors import Unsupported
from ...recording.transcript import Transcribed
from ..adapter import Adapter
from ..interface import Option
from ..program import Program, Tensors, Watched

EVERYTHING = frozenset(("everything",))


class ExecuTorch(Adapter):
    """ExecuTorch."""

    name = "executorch"
    title = "ExecuTorch"
    packages = {"executorch": "executorch"}
    extra = "executorch"
    dtypes = ("float32", "float64", "bfloat16", "float16")
    builds_slowly = True
    options = (
        Option("delegate", ("xnnpack", "none"), "delegate", EVERYTHING, {
            "xnnpack": "to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])",
            "none": "to_edge_transform_and_lower(program)",
        }),
    )  # fmt: skip

    def dtypes_with(self, options: Mapping[str, str]) -> tuple[str, ...]:
        """XNNPACK takes two formats; the others would be left to ExecuTorch's own kernels, which are other programs."""
        return ("float32", "float16") if options["delegate"] == "xnnpack" else self.dtypes

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`. A target may be an `nn.Module`, an `ExportedProgram`, or a lowered one (bytes, or a .pte file)."""
        if isinstance(target, (bytes, str, Path)):
            content = target if isinstance(target, bytes) else Path(target).read_bytes()
            return Program(_Loaded(content).run)
        if isinstance(target, nn.Module):
            exported = torch.export.export(target, arguments, dict(keywords))
        elif isinstance(target, torch.export.ExportedProgram):
            exported = target
        else:
            raise Unsupported(
                f"Got {type(target).__name__} for {self.name}. Needed: an nn.Module, an ExportedProgram, or a lowered program (bytes, or a .pte "
                "file). Nothing else is lowered. Export it first."
            )
        content, delegated, left = _lowered(exported, options["delegate"])
        loaded = _Loaded(content)
        remarks: list[str] = []
        if options["delegate"] == "xnnpack" and left:
            remarks.append(
                f"left to ExecuTorch's own kernels: {', '.join(left)}" + ("" if delegated else "; nothing is delegated to XNNPACK")
            )

        def run(tensors: Tensors) -> Tensors:
            return loaded.run(_arranged(exported, arguments, keywords, tensors))

        return Program(
            run,
            exported.call_spec.out_spec,
            lambda tensors: _watch(exported, arguments, keywords, tensors, run(tensors), options),
            tuple(remarks),
        )


def _arranged(exported: Any, arguments: Any, keywords: Any, tensors: Tensors) -> Tensors:
    """What the program takes: every leaf of the inputs, constants among them."""
    leaves = tree_leaves((arguments, dict(keywords)))
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    for place, tensor in zip(places, tensors):
        leaves[place] = tensor
    return leaves


class _Loaded:
    """A program in memory. The bytes and the program have to outlive the method, which points into them."""

    def __init__(self, content: bytes) -> None:
        with _aside():
            native = import_module("executorch.extension.pybindings._C")
            self._content = content
            self._program = native._load_program_from_buffer(content, enable_etdump=False, debug_buffer_size=0)
            self._method = self._program.load_method("forward")

    def run(self, inputs: Tensors) -> Tensors:
        with _aside() as said:
            try:
                return [item for item in self._method(inputs) if isinstance(item, torch.Tensor)]
            except RuntimeError as error:
                raise Unsupported(
                    f"Got an error from ExecuTorch ({error}): {said()}. Needed: a program that its kernels can run. It was lowered, but fails when it is run. Leave this program out, or lower it in another way."
                ) from error


def _lowered(exported: Any, delegate: str) -> tuple[bytes, list[str], list[str]]:
    """The program's bytes, and which ops were delegated and which were left."""
    with _aside():
        exir = import_module("executorch.exir")
        partitioners = (
            [import_module("executorch.backends.xnnpack.partition.xnnpack_partitioner").XnnpackPartitioner()]
            if delegate == "xnnpack"
            else []
        )
        edge = exir.to_edge_transform_and_lower(exported, partitioner=partitioners)
        delegated, left = _ops(edge.exported_program().graph_module)  # before the next step, which changes the graph
        return bytes(edge.to_executorch().buffer), delegated, left


def _ops(module: Any) -> tuple[list[str], list[str]]:
    delegated: list[str] = []
    left: list[str] = []
    for node in module.graph.nodes:
        if node.op != "call_function" or node.target is operator.getitem:
            continue
        if "executorch_call_delegate" in str(node.target):
            inner = getattr(module, node.args[0].name).original_module.graph.nodes
            delegated += [_name(item) for item in inner if item.op == "call_function" and item.target is not operator.getitem]
        else:
            left.append(_name(node))
    return list(dict.fromkeys(delegated)), list(dict.fromkeys(left))


def _name(node: Any) -> str:
    parts = str(getattr(node.target, "__name__", node.target)).split(".")
    return parts[1] if parts[0] == "aten" and len(parts) > 1 else parts[0]


def _watch(exported: Any, arguments: Any, keywords: Any, tensors: Tensors, results: Tensors, options: Mapping[str, str]) -> Watched:
    """All values of the exported graph that may be results of it, taken out through its delegate."""
    import copy

    with _aside():
        taps = import_module("executorch.devtools.intermediate_output_tap")
        tapped, found = taps.tap_intermediate_outputs_(copy.deepcopy(exported), rules=[(_may_be_tapped, taps.FULL_TENSOR)])
        exir = import_module("executorch.exir")
        partitioners = (
            [import_module("executorch.backends.xnnpack.partition.xnnpack_partitioner").XnnpackPartitioner()]
            if options["delegate"] == "xnnpack"
            else []
        )
        edge = exir.to_edge_transform_and_lower(tapped, partitioner=partitioners)
        taps.strip_taps_(edge)
        content = bytes(edge.to_executorch().buffer)
    outputs = _Loaded(content).run(_arranged(exported, arguments, keywords, tensors))
    places: dict[str, int] = {item.node_name: place for place, item in enumerate(found)}
    nodes = {node.name: node for node in exported.graph.nodes}
    values = [
        Transcribed(
            outputs[item.output_index], f"executorch.{_name_of(item.op_target)}", str(item.module_path or ""),
            inputs=tuple(dict.fromkeys(places[source] for source in _sources(nodes.get(item.node_name)) if source in places and places[source] < place)),
        )
        for place, item in enumerate(found)
    ]  # fmt: skip
    seen = outputs[: len(results)]
    notes: tuple[str, ...] = ()
    if not all(
        seen_part.shape == result_part.shape and torch.equal(seen_part, result_part) for seen_part, result_part in zip(seen, results)
    ):
        notes = ("the results have different bits with recording than without: recorded values are not fused",)
    weights = {name: tensor.detach() for name, tensor in exported.state_dict.items() if isinstance(tensor, torch.Tensor)}
    return Watched(values, seen, weights, notes)


def _may_be_tapped(node: Any) -> bool:
    """A tensor that an op made, not what an op hands through."""
    aten = torch.ops.aten
    passing = (
        aten.dropout.default,
        aten.contiguous.default,
        aten.clone.default,
        aten.alias.default,
        aten.to.dtype,
        aten.lift_fresh_copy.default,
    )
    return node.op == "call_function" and isinstance(node.meta.get("val"), torch.Tensor) and node.target not in passing


def _name_of(target: Any) -> str:
    words = str(target).split(".")
    return words[1] if words[0] == "aten" and len(words) > 1 else words[-1]


def _sources(node: Any) -> list[str]:
    return [] if node is None else [item.name for item in node.all_input_nodes]


@contextlib.contextmanager
def _aside() -> Generator[Any]:
    """What it says on standard error goes to a file, and the handlers that it gives the root logger are taken away again.

    Yields a function that gives the last line said.
    """
    handlers = list(logging.root.handlers)
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.dup2(file.fileno(), 2)

        def said() -> str:
            file.seek(0)
            lines = [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]
            return lines[-1].strip()[:200] if lines else "nothing more"

        try:
            yield said
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            logging.root.handlers[:] = handlers
