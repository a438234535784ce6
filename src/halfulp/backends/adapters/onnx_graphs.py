"""ONNX graphs: of an op of the table, built node by node (the exporter takes a second for each); of a module, by PyTorch's exporter."""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils._pytree import tree_flatten

from ...errors import Unsupported
from ..arrays import as_numpy
from ..ops import OpModule

OPSET, NEWER_OPSET = 20, 23
"""What PyTorch's exporter writes today, and the first that has RMSNormalization and GroupNormalization of channels."""

IR_VERSION = 10


@dataclass(frozen=True, eq=False)
class Graph:
    """A model.

    Attributes:
        proto: the ModelProto. structure: how its results are nested (TreeSpec); None for one, or a tuple.
        unfolded: makes the graph that is looked into: the same, or one in which the exporter folded nothing.
    """

    proto: Any
    structure: Any = None
    unfolded: Callable[[], Any] | None = None

    def to_look_into(self) -> Any:
        """The graph whose values are looked at."""
        return self.proto if self.unfolded is None else self.unfolded()


def graph_of(target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], name: str) -> Graph:
    """The graph of an op, a module, or of what already is one (a ModelProto, its bytes, or a file).

    Raises:
        Unsupported: none of these.
    """
    onnx = import_module("onnx")
    if isinstance(target, OpModule):
        return Graph(_of_op(target, arguments))
    if isinstance(target, nn.Module):
        found = exported(target, arguments, keywords)
        return Graph(found.proto, found.structure, lambda: exported(target, arguments, keywords, optimize=False).proto)
    if isinstance(target, onnx.ModelProto):
        return Graph(target)
    if isinstance(target, bytes):
        return graph_of(onnx.load_from_string(target), arguments, keywords, name)
    if isinstance(target, (str, Path)):
        return graph_of(onnx.load(str(target)), arguments, keywords, name)
    raise Unsupported(
        f"Got {type(target).__name__} for {name}. Needed: one of halfulp's ops (halfulp.backends.ops.OPS has their names), an nn.Module, or an ONNX model (a ModelProto, bytes, or a file). "
        "Nothing else can be made into a graph. Export it first."
    )


def exported(module: nn.Module, arguments: tuple[Any, ...], keywords: Mapping[str, Any] | None = None, **options: Any) -> Graph:
    """A module as PyTorch's exporter writes it, silently.

    Args:
        module: in the mode that it is to be exported in. arguments, keywords: of one call.
        options: of torch.onnx.export (`optimize=False` keeps normalizations apart from convolutions).
    """
    disabled = logging.root.manager.disable
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            program = torch.onnx.export(module, arguments, None, kwargs=dict(keywords or {}), dynamo=True, verbose=False, **options)
        finally:
            logging.disable(disabled)
    assert program is not None
    return Graph(program.model_proto, program.exported_program.call_spec.out_spec)


def module_of(node: Any) -> str:
    """The path of the module that a node comes from, as the exporter wrote it down; "" where it didn't."""
    for entry in node.metadata_props:
        if entry.key == "pkg.torch.onnx.name_scopes":
            try:
                scopes = ast.literal_eval(entry.value)
                return str(scopes[-2])
            except (ValueError, SyntaxError, IndexError):
                return ""
    return ""


class _Builder:
    """Collects nodes."""

    def __init__(self, dtype: torch.dtype) -> None:
        self._helper = import_module("onnx.helper")
        self._from_array = import_module("onnx.numpy_helper").from_array
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.dtype = as_numpy(torch.zeros(0, dtype=dtype)).dtype
        self.opset = OPSET

    def constant(self, value: Any, dtype: Any = None) -> str:
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(self._from_array(np.asarray(value, dtype=self.dtype if dtype is None else dtype), name))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(list(values), np.int64)

    def add(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"{kind.lower()}_{len(self.nodes)}_{place}" for place in range(outputs)]
        self.nodes.append(self._helper.make_node(kind, list(inputs), names, name=f"{kind}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names


def _of_op(module: OpModule, arguments: tuple[Any, ...]) -> Any:
    helper, from_array = import_module("onnx.helper"), import_module("onnx.numpy_helper").from_array
    make = NODES.get(module.op_name)
    if make is None:
        raise Unsupported(
            f"Got the op {module.op_name}. Needed: one that halfulp can write as ONNX nodes. It can't write {module.op_name}. Leave it out."
        )
    tensors = [item for item in tree_flatten(arguments)[0] if isinstance(item, torch.Tensor)]
    dtype = next(tensor.dtype for tensor in (*tensors, *module.weights) if tensor.is_floating_point())
    builder = _Builder(dtype)
    kinds = [helper.np_dtype_to_tensor_dtype(as_numpy(tensor).dtype) for tensor in tensors]
    inputs = [
        helper.make_tensor_value_info(name, kind, list(tensor.shape)) for name, kind, tensor in zip(module.op.activations, kinds, tensors)
    ]
    weights = dict(zip(module.op.weights, module.weights))
    shapes = {name: tuple(tensor.shape) for name, tensor in zip(module.op.activations, tensors)} | {
        name: tuple(tensor.shape) for name, tensor in weights.items()
    }
    given = _Given(shapes, {name: as_numpy(tensor.detach()) for name, tensor in weights.items()}, module.attributes)
    results = make(builder, given)
    names = [results] if isinstance(results, str) else list(results)
    used = {name for node in builder.nodes for name in node.input}
    builder.initializers += [from_array(array, name) for name, array in given.weights.items() if name in used]
    kind = helper.np_dtype_to_tensor_dtype(builder.dtype)
    outputs = [helper.make_tensor_value_info(name, kind, None) for name in names]
    graph = helper.make_graph(builder.nodes, module.op_name, inputs, outputs, builder.initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", builder.opset)], ir_version=IR_VERSION + (builder.opset > OPSET))


@dataclass(frozen=True)
class _Given:
    """What an op is called with: shapes of all arguments, numbers of the weights, attributes."""

    shapes: Mapping[str, tuple[int, ...]]
    weights: Mapping[str, Any]
    attributes: Mapping[str, Any]


def _convolution(kind: str) -> Callable[[_Builder, _Given], Any]:
    def make(b: _Builder, given: _Given) -> Any:
        axes = len(given.shapes["x"]) - 2
        stride, padding = given.attributes.get("stride", 1), given.attributes.get("padding", 0)
        return b.add(kind, "x", "weight", "bias", strides=[stride] * axes, pads=[padding] * 2 * axes)

    return make


def _attention(b: _Builder, given: _Given) -> Any:
    turned = b.add("Transpose", "key", perm=[0, 1, 3, 2])
    scores = b.add("Mul", b.add("MatMul", "query", turned), b.constant(1.0 / math.sqrt(given.shapes["query"][-1])))
    return b.add("MatMul", b.add("Softmax", scores, axis=-1), "value")


def _group_norm(b: _Builder, given: _Given) -> Any:
    b.opset = NEWER_OPSET
    return b.add("GroupNormalization", "x", "weight", "bias", num_groups=given.attributes["groups"], epsilon=given.attributes["layer_eps"])


def _rms_norm(b: _Builder, given: _Given) -> Any:
    b.opset = NEWER_OPSET
    return b.add("RMSNormalization", "x", "weight", axis=-1, epsilon=given.attributes["layer_eps"])


def _var(b: _Builder, _: _Given) -> Any:
    apart = b.add("Sub", "x", b.add("ReduceMean", "x", b.integers(-1), keepdims=1))
    return b.add("ReduceMean", b.add("Mul", apart, apart), b.integers(-1), keepdims=0)


def _pooling(kind: str, **more: Any) -> Callable[[_Builder, _Given], Any]:
    def make(b: _Builder, given: _Given) -> Any:
        window, stride = given.attributes["window"], given.attributes["stride"]
        return b.add(kind, "x", kernel_shape=[window, window], strides=[stride, stride], **more)

    return make


def _interpolate(b: _Builder, given: _Given) -> Any:
    sizes = b.integers(*given.shapes["x"][:2], *given.attributes["size"])
    return b.add("Resize", "x", "", "", sizes, mode="linear", coordinate_transformation_mode="pytorch_half_pixel")


def _gates(weights: Mapping[str, Any], names: tuple[str, ...], order: tuple[int, ...]) -> Any:
    """Gates in the order of ONNX, with the axis of directions in front."""
    return np.concatenate([np.concatenate([np.split(weights[name], len(order))[place] for place in order]) for name in names])[None]


def _lstm_cell(b: _Builder, given: _Given) -> Any:
    order, width = (0, 3, 1, 2), given.shapes["hidden"][-1]
    into, within = (b.constant(_gates(given.weights, (name,), order)) for name in ("weight_ih", "weight_hh"))
    bias = b.constant(_gates(given.weights, ("bias_ih",), order)[0].tolist() + _gates(given.weights, ("bias_hh",), order)[0].tolist())
    first = b.integers(0)
    x, hidden, cell = (b.add("Unsqueeze", name, first) for name in ("x", "hidden", "cell"))
    _, last, kept = b.add("LSTM", x, into, within, b.add("Unsqueeze", bias, first), "", hidden, cell, outputs=3, hidden_size=width)
    return b.add("Squeeze", last, first), b.add("Squeeze", kept, first)


def _gru_cell(b: _Builder, given: _Given) -> Any:
    order, width = (1, 0, 2), given.shapes["hidden"][-1]
    into, within = (b.constant(_gates(given.weights, (name,), order)) for name in ("weight_ih", "weight_hh"))
    bias = b.constant(_gates(given.weights, ("bias_ih",), order)[0].tolist() + _gates(given.weights, ("bias_hh",), order)[0].tolist())
    first = b.integers(0)
    x, hidden = (b.add("Unsqueeze", name, first) for name in ("x", "hidden"))
    arguments = (x, into, within, b.add("Unsqueeze", bias, first), "", hidden)
    _, last = b.add("GRU", *arguments, outputs=2, hidden_size=width, linear_before_reset=1)
    return b.add("Squeeze", last, first)


def _plain(kind: str, **attributes: Any) -> Callable[[_Builder, _Given], Any]:
    return lambda b, _: b.add(kind, "x", **attributes)


def _reduced(kind: str) -> Callable[[_Builder, _Given], Any]:
    return lambda b, _: b.add(kind, "x", b.integers(-1), keepdims=0)


NODES: dict[str, Callable[[_Builder, _Given], Any]] = {
    "linear": lambda b, _: b.add("Gemm", "x", "weight", "bias", transB=1), "matmul": lambda b, _: b.add("MatMul", "left", "right"),
    "bmm": lambda b, _: b.add("MatMul", "left", "right"), "conv1d": _convolution("Conv"), "conv2d": _convolution("Conv"),
    "conv3d": _convolution("Conv"), "conv_transpose1d": _convolution("ConvTranspose"), "conv_transpose2d": _convolution("ConvTranspose"),
    "attention": _attention, "softmax": _plain("Softmax", axis=-1), "log_softmax": _plain("LogSoftmax", axis=-1),
    "layer_norm": lambda b, given: b.add("LayerNormalization", "x", "weight", "bias", axis=-1, epsilon=given.attributes["layer_eps"]),
    "rms_norm": _rms_norm,
    "batch_norm": lambda b, given: b.add(
        "BatchNormalization", "x", "weight", "bias", "mean", "variance", epsilon=given.attributes["layer_eps"]
    ),
    "group_norm": _group_norm, "relu": _plain("Relu"), "gelu": _plain("Gelu"), "gelu_tanh": _plain("Gelu", approximate="tanh"),
    "silu": lambda b, _: b.add("Mul", "x", b.add("Sigmoid", "x")), "sigmoid": _plain("Sigmoid"), "tanh": _plain("Tanh"), "exp": _plain("Exp"),
    "log": _plain("Log"), "sqrt": _plain("Sqrt"), "rsqrt": lambda b, _: b.add("Reciprocal", b.add("Sqrt", "x")), "erf": _plain("Erf"),
    "sum": _reduced("ReduceSum"), "mean": _reduced("ReduceMean"), "var": _var,
    "cumsum": lambda b, _: b.add("CumSum", "x", b.constant(-1, np.int64)), "max_pool2d": _pooling("MaxPool"),
    "avg_pool2d": _pooling("AveragePool", count_include_pad=1), "interpolate": _interpolate, "lstm_cell": _lstm_cell, "gru_cell": _gru_cell,
    "embedding": lambda b, _: b.add("Gather", "weight", "indices", axis=0),
    "gather": lambda b, _: b.add("GatherElements", "x", "indices", axis=-1),
    "scatter_add": lambda b, _: b.add("ScatterElements", "x", "indices", "source", axis=-1, reduction="add"),
}  # fmt: skip
