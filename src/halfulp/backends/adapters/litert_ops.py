"""Each op of the table as a model of LiteRT with that op alone. Images are channels-last there: transposes stand around the ops that need them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_flatten

from ...errors import Unsupported
from ..arrays import as_numpy
from ..ops import OpModule
from .litert_models import Model


def model_of(module: OpModule, arguments: tuple[Any, ...]) -> bytes:
    """The file of a one-op model.

    Raises:
        Unsupported: LiteRT has no such op.
    """
    make = MODELS.get(module.op_name)
    if make is None:
        raise Unsupported(
            f"Got the op {module.op_name} for litert. Needed: one that it has. LiteRT has no such op built in. Don't run this op on litert."
        )
    tensors = [item for item in tree_flatten(arguments)[0] if isinstance(item, torch.Tensor)]
    model = Model()
    inputs = [model.input(tuple(tensor.shape), as_numpy(tensor).dtype.name) for tensor in tensors]
    result = make(model, inputs, [as_numpy(weight.detach()) for weight in module.weights], module.attributes)
    return model.bytes(*(result if isinstance(result, tuple) else (result,)))


LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}


def _linear(m: Model, inputs: Any, weights: Any, _: Any) -> int:
    x, (weight, bias) = inputs[0], weights
    return m.op(
        "FULLY_CONNECTED", (x, m.constant(weight), m.constant(bias)), (*m.shapes[x][:-1], len(weight)), "FullyConnected", keepNumDims=True
    )


def _matmul(m: Model, inputs: Any, _w: Any = (), _a: Any = None, *, turned: bool = False) -> int:
    left, right = inputs
    columns = m.shapes[right][-2 if turned else -1]
    return m.op("BATCH_MATMUL", (left, right), (*m.shapes[left][:-1], columns), "BatchMatMul", adjY=turned)


def _as_image(m: Model, x: int, weight: Any) -> tuple[int, Any]:
    """Channels last; one axis becomes two of which the first has length one, in the kernel too."""
    x = m.transposed(x, LAST[len(m.shapes[x])])
    if len(m.shapes[x]) == 3:
        batch, length, channels = m.shapes[x]
        return m.reshaped(x, (batch, 1, length, channels)), weight[:, :, None]
    return x, weight


def _conv2d(m: Model, inputs: Any, weights: Any, attributes: Any) -> int:
    """One axis is two of which the first has length one."""
    x, (weight, bias) = inputs[0], weights
    stride, padding = attributes.get("stride", 1), attributes.get("padding", 0)
    rank = len(m.shapes[x])
    x, weight = _as_image(m, x, weight)
    around = (0, 0) if rank == 3 else (padding, padding)
    x = m.padded(x, ((0, 0), around, (padding, padding), (0, 0)))
    kernel = np.moveaxis(weight, 1, -1)
    strides = (1 if rank == 3 else stride, stride)
    sizes = tuple((size - width) // step + 1 for size, width, step in zip(m.shapes[x][1:3], kernel.shape[1:3], strides))
    y = m.op(
        "CONV_2D", (x, m.constant(kernel), m.constant(bias)), (m.shapes[x][0], *sizes, len(bias)), "Conv2D", padding=_VALID, strideH=strides[0],
        strideW=strides[1], dilationHFactor=1, dilationWFactor=1,
    )  # fmt: skip
    if rank == 3:
        y = m.reshaped(y, (m.shapes[y][0], *m.shapes[y][2:]))
    return m.transposed(y, FIRST[rank])


_VALID = 1


def _conv3d(m: Model, inputs: Any, weights: Any, attributes: Any) -> int:
    x, (weight, bias) = inputs[0], weights
    stride, padding = attributes.get("stride", 1), attributes.get("padding", 0)
    x = m.padded(m.transposed(x, LAST[5]), ((0, 0), *((padding, padding),) * 3, (0, 0)))
    kernel = np.transpose(weight, (2, 3, 4, 1, 0))
    sizes = tuple((size - width) // stride + 1 for size, width in zip(m.shapes[x][1:4], kernel.shape[:3]))
    y = m.op(
        "CONV_3D", (x, m.constant(kernel), m.constant(bias)), (m.shapes[x][0], *sizes, len(bias)), "Conv3D", padding=_VALID, strideD=stride,
        strideH=stride, strideW=stride, dilationDFactor=1, dilationHFactor=1, dilationWFactor=1,
    )  # fmt: skip
    return m.transposed(y, FIRST[5])


def _conv_transpose(m: Model, inputs: Any, weights: Any, attributes: Any) -> int:
    x, (weight, bias) = inputs[0], weights
    stride, padding = attributes.get("stride", 1), attributes.get("padding", 0)
    rank = len(m.shapes[x])
    x, weight = _as_image(m, x, weight)
    kernel = np.transpose(weight, (1, 2, 3, 0))
    strides = (1 if rank == 3 else stride, stride)
    full = (
        m.shapes[x][0],
        *((size - 1) * step + width for size, width, step in zip(m.shapes[x][1:3], kernel.shape[1:3], strides)),
        len(bias),
    )
    y = m.op(
        "TRANSPOSE_CONV", (m.constant(full, np.int32), m.constant(kernel), x, m.constant(bias)), full, "TransposeConv", 3, padding=_VALID,
        strideH=strides[0], strideW=strides[1],
    )  # fmt: skip
    trimmed = (0 if rank == 3 else padding, padding)
    inner = (full[0], *(size - 2 * off for size, off in zip(full[1:3], trimmed)), full[3])
    if inner != full:
        y = m.part(y, (0, *trimmed, 0), inner)
    if rank == 3:
        y = m.reshaped(y, (inner[0], *inner[2:]))
    return m.transposed(y, FIRST[rank])


def _attention(m: Model, inputs: Any, _w: Any, _a: Any) -> int:
    query, key, value = inputs
    scores = m.binary("Mul", _matmul(m, (query, key), turned=True), m.constant(1.0 / math.sqrt(m.shapes[query][-1])))
    return _matmul(m, (m.op("SOFTMAX", (scores,), m.shapes[scores], "Softmax", beta=1.0), value))


def _normalized(m: Model, x: int, layer_eps: float) -> int:
    mean = m.reduced("MEAN", x, (-1,), keep=True)
    variance = m.reduced("MEAN", m.binary("SquaredDifference", x, mean), (-1,), keep=True)
    shifted = m.binary("Add", variance, m.constant(layer_eps))
    return m.binary("Mul", m.binary("Sub", x, mean), m.op("RSQRT", (shifted,), m.shapes[shifted]))


def _layer_norm(m: Model, inputs: Any, weights: Any, attributes: Any) -> int:
    return m.binary(
        "Add", m.binary("Mul", _normalized(m, inputs[0], attributes["layer_eps"]), m.constant(weights[0])), m.constant(weights[1])
    )


def _group_norm(m: Model, inputs: Any, weights: Any, attributes: Any) -> int:
    shape = m.shapes[inputs[0]]
    parts = m.reshaped(inputs[0], (shape[0], attributes["groups"], math.prod(shape[1:]) // attributes["groups"]))
    y = m.reshaped(_normalized(m, parts, attributes["layer_eps"]), shape)
    weight, bias = (m.constant(item.reshape(1, -1, 1, 1)) for item in weights)
    return m.binary("Add", m.binary("Mul", y, weight), bias)


def _rms_norm(m: Model, inputs: Any, weights: Any, attributes: Any) -> int:
    x = inputs[0]
    shifted = m.binary("Add", m.reduced("MEAN", m.binary("Mul", x, x), (-1,), keep=True), m.constant(attributes["layer_eps"]))
    return m.binary("Mul", m.binary("Mul", x, m.op("RSQRT", (shifted,), m.shapes[shifted])), m.constant(weights[0]))


def _batch_norm(m: Model, inputs: Any, weights: Any, attributes: Any) -> int:
    mean, variance, weight, bias = (item.reshape(1, -1, 1, 1) for item in weights)
    scale = m.op("RSQRT", (m.binary("Add", m.constant(variance), m.constant(attributes["layer_eps"])),), variance.shape)
    scaled = m.binary("Mul", m.binary("Sub", inputs[0], m.constant(mean)), scale)
    return m.binary("Add", m.binary("Mul", scaled, m.constant(weight)), m.constant(bias))


def _var(m: Model, inputs: Any, _w: Any, _a: Any) -> int:
    mean = m.reduced("MEAN", inputs[0], (-1,), keep=True)
    return m.reduced("MEAN", m.binary("SquaredDifference", inputs[0], mean), (-1,), keep=False)


def _pooling(code: str) -> Callable[..., int]:
    def make(m: Model, inputs: Any, _: Any, attributes: Any) -> int:
        window, stride = attributes["window"], attributes["stride"]
        x = m.transposed(inputs[0], LAST[4])
        batch, *sizes, channels = m.shapes[x]
        shape = (batch, *((size - window) // stride + 1 for size in sizes), channels)
        fields = {"strideW": stride, "strideH": stride, "filterWidth": window, "filterHeight": window}
        return m.transposed(m.op(code, (x,), shape, "Pool2D", padding=_VALID, **fields), FIRST[4])

    return make


def _interpolate(m: Model, inputs: Any, _: Any, attributes: Any) -> int:
    x, size = m.transposed(inputs[0], LAST[4]), attributes["size"]
    shape = (m.shapes[x][0], *size, m.shapes[x][3])
    y = m.op("RESIZE_BILINEAR", (x, m.constant(size, np.int32)), shape, "ResizeBilinear", 3, alignCorners=False, halfPixelCenters=True)
    return m.transposed(y, FIRST[4])


def _cell_gates(m: Model, x: int, weight: Any, bias: Any, count: int) -> list[int]:
    whole = _linear(m, (x,), (weight, bias), {})
    width = len(weight) // count
    return [m.part(whole, (0, place * width), (m.shapes[whole][0], width)) for place in range(count)]


def _of_each(m: Model, code: str, x: int) -> int:
    return m.op(code, (x,), m.shapes[x])


def _lstm_cell(m: Model, inputs: Any, weights: Any, _: Any) -> tuple[int, int]:
    x, hidden, cell = inputs
    pairs = zip(_cell_gates(m, x, weights[0], weights[2], 4), _cell_gates(m, hidden, weights[1], weights[3], 4))
    into, forget, candidate, out = (m.binary("Add", left, right) for left, right in pairs)
    kept = m.binary("Mul", _of_each(m, "LOGISTIC", forget), cell)
    kept = m.binary("Add", kept, m.binary("Mul", _of_each(m, "LOGISTIC", into), _of_each(m, "TANH", candidate)))
    return m.binary("Mul", _of_each(m, "LOGISTIC", out), _of_each(m, "TANH", kept)), kept


def _gru_cell(m: Model, inputs: Any, weights: Any, _: Any) -> int:
    x, hidden = inputs
    of_input, of_hidden = _cell_gates(m, x, weights[0], weights[2], 3), _cell_gates(m, hidden, weights[1], weights[3], 3)
    reset, update = (_of_each(m, "LOGISTIC", m.binary("Add", left, right)) for left, right in zip(of_input[:2], of_hidden[:2]))
    candidate = _of_each(m, "TANH", m.binary("Add", of_input[2], m.binary("Mul", reset, of_hidden[2])))
    return m.binary("Add", m.binary("Mul", m.binary("Sub", m.constant(1.0), update), candidate), m.binary("Mul", update, hidden))


def _plain(code: str, options: str = "", **fields: Any) -> Callable[..., int]:
    return lambda m, inputs, _w, _a: m.op(code, (inputs[0],), m.shapes[inputs[0]], options, **fields)


def _reduced(code: str) -> Callable[..., int]:
    return lambda m, inputs, _w, _a: m.reduced(code, inputs[0], (-1,), keep=False)


def _silu(m: Model, inputs: Any, _w: Any, _a: Any) -> int:
    return m.binary("Mul", inputs[0], _of_each(m, "LOGISTIC", inputs[0]))


def _cumsum(m: Model, inputs: Any, _w: Any, _a: Any) -> int:
    return m.op("CUMSUM", (inputs[0], m.constant(len(m.shapes[inputs[0]]) - 1, np.int32)), m.shapes[inputs[0]], "Cumsum")


def _embedding(m: Model, inputs: Any, weights: Any, _a: Any) -> int:
    return m.op("GATHER", (m.constant(weights[0]), inputs[0]), (*m.shapes[inputs[0]], weights[0].shape[1]), "Gather", axis=0)


MODELS: dict[str, Callable[..., Any]] = {
    "linear": _linear, "matmul": _matmul, "bmm": _matmul, "conv1d": _conv2d, "conv2d": _conv2d, "conv3d": _conv3d,
    "conv_transpose1d": _conv_transpose, "conv_transpose2d": _conv_transpose, "attention": _attention,
    "softmax": _plain("SOFTMAX", "Softmax", beta=1.0), "log_softmax": _plain("LOG_SOFTMAX", "LogSoftmax"), "layer_norm": _layer_norm,
    "rms_norm": _rms_norm, "batch_norm": _batch_norm, "group_norm": _group_norm, "relu": _plain("RELU"), "gelu": _plain("GELU", "Gelu"),
    "gelu_tanh": _plain("GELU", "Gelu", approximate=True), "silu": _silu, "sigmoid": _plain("LOGISTIC"), "tanh": _plain("TANH"),
    "exp": _plain("EXP", "Exp"), "log": _plain("LOG"), "sqrt": _plain("SQRT"), "rsqrt": _plain("RSQRT"), "sum": _reduced("SUM"),
    "mean": _reduced("MEAN"), "var": _var, "cumsum": _cumsum, "max_pool2d": _pooling("MAX_POOL_2D"), "avg_pool2d": _pooling("AVERAGE_POOL_2D"),
    "interpolate": _interpolate, "lstm_cell": _lstm_cell, "gru_cell": _gru_cell, "embedding": _embedding,
}  # fmt: skip
