"""ONNX Runtime, on the processor, CUDA or DirectML."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from importlib import import_module
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

PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider", "directml": "DmlExecutionProvider"}
LEVELS = {"all": "ORT_ENABLE_ALL", "extended": "ORT_ENABLE_EXTENDED", "basic": "ORT_ENABLE_BASIC", "disabled": "ORT_DISABLE_ALL"}
SILENT = 4
"""Only fatal messages: warnings go to standard error otherwise, thousands of them for some models."""


class OnnxRuntime(Adapter):
    """ONNX Runtime."""

    name = "onnxruntime"
    title = "ONNX Runtime"
    packages = {"onnxruntime": "onnxruntime", "onnx": "onnx"}
    extra = "onnxruntime"
    dtypes = ("float32", "float64", "float16")
    rounds_constants = True  # attributes of ONNX nodes, also those that its graph optimization makes (alpha of a fused product)
    options = (
        Option("optimization", tuple(LEVELS), "graph optimization", frozenset(("everything",)), {
            level: f"SessionOptions().graph_optimization_level = GraphOptimizationLevel.{name}" for level, name in LEVELS.items()
        }),
        Option("provider", tuple(PROVIDERS), "execution provider", frozenset(("everything",)), {
            key: f"InferenceSession(model, providers=[{name!r}])" for key, name in PROVIDERS.items()
        }),
    )  # fmt: skip

    def fingerprint(self) -> dict[str, str]:
        """Versions and the providers of this build."""
        runtime = import_module("onnxruntime")
        return {**super().fingerprint(), "providers": ", ".join(runtime.get_available_providers())}

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`."""
        graph = graph_of(target, arguments, keywords, self.name)
        session = _session(graph.proto, options)
        names = [given_input.name for given_input in session.get_inputs()]

        def run(tensors: Tensors) -> Tensors:
            return [as_tensor(item) for item in session.run(None, _fed(names, tensors))]

        return Program(run, graph.structure, lambda tensors: _watch(graph, names, tensors, run(tensors), options))


def _fed(names: list[str], tensors: Tensors) -> dict[str, Any]:
    if len(names) != len(tensors):
        raise Unsupported(
            f"Got {counted(len(tensors), 'array')} for a graph with {counted(len(names), 'input')} ({', '.join(names)}). Needed: one for each. Pass them in order."
        )
    return {name: as_numpy(tensor) for name, tensor in zip(names, tensors)}


def _session(proto: Any, options: Mapping[str, str]) -> Any:
    runtime = import_module("onnxruntime")
    provider = PROVIDERS[options["provider"]]
    if provider not in runtime.get_available_providers():
        raise Unsupported(
            f"Got provider={options['provider']!r}. Needed: a provider that this build has ({', '.join(runtime.get_available_providers())}). Otherwise ONNX Runtime would silently run on the CPU. Install the build that has it (onnxruntime-gpu, onnxruntime-directml)."
        )
    settings = runtime.SessionOptions()
    settings.log_severity_level = SILENT
    settings.intra_op_num_threads = torch.get_num_threads()
    settings.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, LEVELS[options["optimization"]])
    return runtime.InferenceSession(proto.SerializeToString(), settings, providers=[provider])


def _watch(graph: Graph, names: list[str], tensors: Tensors, results: Tensors, options: Mapping[str, str]) -> Watched:
    """All values of the graph, which become results of it for this run."""
    onnx = import_module("onnx")
    proto = copy.deepcopy(graph.to_look_into())
    results_of = [item.name for item in proto.graph.output]
    given = {item.name for item in proto.graph.output}
    made = [(node, name) for node in proto.graph.node for name in node.output if name]
    proto.graph.output.extend(onnx.ValueInfoProto(name=name) for _, name in made if name not in given)
    session = _session(proto, options)
    order = [output.name for output in session.get_outputs()]
    found = dict(zip(order, session.run(None, _fed(names, tensors))))
    places: dict[str, int] = {}
    values: list[Transcribed] = []
    for node, name in made:
        array = found.get(name)
        if array is None or not hasattr(array, "dtype"):
            continue  # a sequence, or an optional value
        inputs = tuple(dict.fromkeys(places[item] for item in node.input if item in places))
        places[name] = len(values)
        values.append(Transcribed(as_tensor(array), f"onnx.{node.op_type}", module_of(node), inputs=inputs))
    seen = [as_tensor(found[name]) for name in results_of]
    notes: tuple[str, ...] = ()
    if not all(
        seen_part.shape == result_part.shape and torch.equal(seen_part, result_part) for seen_part, result_part in zip(seen, results)
    ):
        notes = ("the results have different bits with recording than without: recorded values are not folded or fused",)
    return Watched(values, seen, notes=notes)  # weights keep their names where normalizations were folded into them: names prove nothing
