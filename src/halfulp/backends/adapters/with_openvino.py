"""OpenVINO on the processor. By default it computes in bfloat16 where the processor has it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from ...errors import Unsupported
from ...recording.transcript import Transcribed
from ...words.numbers import counted
from ..adapter import Adapter
from ..arrays import as_numpy, as_tensor
from ..interface import Option
from ..program import Program, Tensors, Watched
from .onnx_graphs import Graph, graph_of, module_of

HINT = "INFERENCE_PRECISION_HINT"


class OpenVino(Adapter):
    """OpenVINO."""

    name = "openvino"
    title = "OpenVINO"
    packages = {"openvino": "openvino", "onnx": "onnx"}
    extra = "openvino"
    dtypes = ("float32", "float16")
    options = (
        Option("precision", ("default", "f32"), "inference precision", frozenset(("products", "convolutions", "recurrent layers", "attention")), {
            "default": f'core.compile_model(model, "CPU")  # no {HINT}', "f32": f'core.compile_model(model, "CPU", {{"{HINT}": "f32"}})',
        }),
    )  # fmt: skip

    def fingerprint(self) -> dict[str, str]:
        """Versions, and what it computes in unless told."""
        return {**super().fingerprint(), "default precision": str(_core().get_property("CPU", HINT)).replace("<Type: ", "").strip("'>")}

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`."""
        if isinstance(target, (str, Path)) and str(target).endswith(".xml"):
            graph, model = None, _core().read_model(str(target))
        elif type(target).__module__.startswith("openvino"):
            graph, model = None, target
        else:
            graph = graph_of(target, arguments, keywords, self.name)
            model = _core().read_model(graph.proto.SerializeToString())
        compiled = _compiled(model, options)

        def run(tensors: Tensors) -> Tensors:
            return _run(compiled, tensors)

        remarks = _remarks(compiled)
        return Program(
            run,
            graph.structure if graph is not None else None,
            lambda tensors: _watch(graph, model, tensors, run(tensors), options),
            remarks,
        )


@cache
def _core() -> Any:
    # Importing it would make a folder in the user's home and send statistics; without this package it does neither.
    sys.modules.setdefault("openvino_telemetry", None)  # pyright: ignore[reportArgumentType]
    return import_module("openvino").Core()


def _compiled(model: Any, options: Mapping[str, str]) -> Any:
    settings: dict[str, Any] = {"INFERENCE_NUM_THREADS": torch.get_num_threads()}
    if options["precision"] != "default":
        settings[HINT] = options["precision"]
    return _core().compile_model(model, "CPU", settings)


def _run(compiled: Any, tensors: Tensors) -> Tensors:
    if len(compiled.inputs) != len(tensors):
        raise Unsupported(
            f"Got {counted(len(tensors), 'array')} for a model with {counted(len(compiled.inputs), 'input')}. Needed: one for each. Pass them in order."
        )
    found = compiled([as_numpy(tensor) for tensor in tensors])
    return [_read(found[port], port) for port in compiled.outputs]


def _read(array: Any, port: Any) -> torch.Tensor:
    if "bf16" in str(port.get_element_type()):  # given back as float16 with the bits of bfloat16
        return as_tensor(array.view("int16")).view(torch.bfloat16)
    return as_tensor(array)


def _executed(compiled: Any) -> list[tuple[str, str]]:
    """Kind and precision of what really runs."""
    found: list[tuple[str, str]] = []
    for node in compiled.get_runtime_model().get_ordered_ops():
        info = node.get_rt_info()
        kind = info["layerType"].astype(str) if "layerType" in info else ""
        if kind not in ("", "Input", "Output", "Const", "Reorder"):
            found.append((kind, info["runtimePrecision"].astype(str) if "runtimePrecision" in info else ""))
    return found


def _remarks(compiled: Any) -> tuple[str, ...]:
    coarse: dict[str, list[str]] = {}
    for kind, precision in _executed(compiled):
        if precision in ("bf16", "f16"):
            coarse.setdefault(precision, []).append(kind)
    return tuple(f"runs in {precision}: {', '.join(dict.fromkeys(kinds))}" for precision, kinds in coarse.items())


def _watch(graph: Graph | None, model: Any, tensors: Tensors, results: Tensors, options: Mapping[str, str]) -> Watched:
    """All values of the model, which become results of it for this run."""
    proto = graph.to_look_into() if graph is not None else None
    exposed = model.clone() if proto is None else _core().read_model(proto.SerializeToString())
    ports = [
        port
        for node in exposed.get_ordered_ops()
        if node.get_type_name() not in ("Constant", "Parameter", "Result")
        for port in node.outputs()
    ]
    names = [(port.get_node().get_type_name(), port.get_node().get_friendly_name(), port) for port in ports]
    places = {_key(port): place for place, port in enumerate(ports)}
    inputs = [tuple(dict.fromkeys(places[key] for key in map(_key, _sources(port)) if key in places)) for port in ports]
    count = len(exposed.outputs)
    exposed.add_outputs(ports)
    compiled = _compiled(exposed, options)
    found = _run(compiled, tensors)
    modules = {node.name: module_of(node) for node in proto.graph.node} if proto is not None else {}
    paths = _paths([name for _, name, _ in names], modules, inputs)
    values = [
        Transcribed(tensor, f"openvino.{kind}", path, inputs=sources)
        for (kind, _, _), tensor, path, sources in zip(names, found[count:], paths, inputs)
    ]
    seen = found[:count]
    notes: tuple[str, ...] = ()
    if not all(
        seen_part.shape == result_part.shape and torch.equal(seen_part, result_part) for seen_part, result_part in zip(seen, results)
    ):
        notes = (("the results have different bits with recording than without: recorded values are not fused, and are stored in float32"),)
    return Watched(values, seen, notes=notes)


def _key(port: Any) -> tuple[str, int]:
    return port.get_node().get_friendly_name(), port.get_index()


def _sources(port: Any) -> list[Any]:
    return [given_input.get_source_output() for given_input in port.get_node().inputs()]


def _paths(names: list[str], modules: Mapping[str, str], inputs: list[tuple[int, ...]]) -> list[str]:
    """The module of each value: by its node's name; helper nodes belong to the next value that is made from them."""
    found = [modules.get(name, _of_torch(name)) for name in names]
    known = [name in modules or name.startswith("__module") for name in names]
    for place in reversed(range(len(names))):
        if known[place]:
            for source in inputs[place]:
                if not known[source]:
                    found[source], known[source] = found[place], True
    return found


def _of_torch(name: str) -> str:
    """The path in a name that its own converter gives, such as `__module.layers.0.norm1/aten::layer_norm/MVN`."""
    return name.partition("/")[0].removeprefix("__module.").removeprefix("__module") if name.startswith("__module") else ""
