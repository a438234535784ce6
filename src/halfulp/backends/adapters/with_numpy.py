"""NumPy: what people write when they port a model to NumPy, convolutions as products of patches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view

from ...recording.statements import watched
from ..arrays import as_numpy, as_tensor
from ..program import Program, Watched
from .by_functions import ByFunctions

Array = np.ndarray[Any, Any]


class NumPy(ByFunctions):
    """NumPy in this process."""

    name = "numpy"
    title = "NumPy"
    packages = {"numpy": "numpy"}
    dtypes = ("float32", "float64", "float16")

    def functions(self, options: Mapping[str, str]) -> Mapping[str, Callable[..., Any]]:
        """See `ByFunctions`."""
        return FUNCTIONS

    def native(self, tensor: torch.Tensor) -> Array:
        """See `ByFunctions`."""
        return as_numpy(tensor)

    def back(self, array: Any) -> torch.Tensor:
        """See `ByFunctions`."""
        return as_tensor(array)

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`. A function is looked into statement by statement."""
        program = super().build(target, arguments, keywords, options)
        if isinstance(target, torch.nn.Module):
            return program

        def look(tensors: list[torch.Tensor]) -> Watched:
            outputs, values, notes = watched(lambda: program.run(tensors))
            return Watched(values, outputs, notes=notes, in_other_layouts=True)

        return Program(program.run, program.structure, look, program.remarks)

    def fingerprint(self) -> dict[str, str]:
        """Its version and the BLAS that it multiplies with."""
        from ...traces import fingerprint

        return {**super().fingerprint(), "BLAS": fingerprint().sections["packages"]["BLAS of NumPy"]}


def _linear(x: Array, weight: Array, bias: Array) -> Array:
    return x @ weight.T + bias


def _convolution(x: Array, weight: Array, bias: Array, *, stride: int = 1, padding: int = 0) -> Array:
    """Patches times weights: one product of two matrices for each image."""
    axes = x.ndim - 2
    padded = np.pad(x, ((0, 0), (0, 0), *((padding, padding),) * axes))
    windows = sliding_window_view(padded, weight.shape[2:], axis=tuple(range(2, x.ndim)))
    windows = windows[(slice(None), slice(None), *(slice(None, None, stride),) * axes)]
    places = windows.shape[2 : 2 + axes]
    rows = np.moveaxis(windows, 1, 1 + axes).reshape(x.shape[0], math.prod(places), -1)
    product = rows @ weight.reshape(weight.shape[0], -1).T + bias
    return np.moveaxis(product.reshape(x.shape[0], *places, weight.shape[0]), -1, 1)


def _transposed_convolution(x: Array, weight: Array, bias: Array, *, stride: int = 1, padding: int = 0) -> Array:
    """Each input adds its multiple of the kernel: one product for each place in the kernel."""
    axes, kernel = x.ndim - 2, weight.shape[2:]
    lengths = tuple((size - 1) * stride + width for size, width in zip(x.shape[2:], kernel))
    full = np.zeros((x.shape[0], weight.shape[1], *lengths), x.dtype)
    for place in np.ndindex(*kernel):
        where = tuple(slice(first, first + stride * (size - 1) + 1, stride) for first, size in zip(place, x.shape[2:]))
        full[(slice(None), slice(None), *where)] += np.moveaxis(np.tensordot(x, weight[(slice(None), slice(None), *place)], (1, 0)), -1, 1)
    inner = tuple(slice(padding, length - padding) for length in lengths)
    return full[(slice(None), slice(None), *inner)] + bias.reshape(-1, *(1,) * axes)


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _log_softmax(x: Array) -> Array:
    moved = x - x.max(-1, keepdims=True)
    return moved - np.log(np.exp(moved).sum(-1, keepdims=True))


def _attention(query: Array, key: Array, value: Array) -> Array:
    scale = query.dtype.type(1.0 / math.sqrt(query.shape[-1]))
    return _softmax(query @ np.swapaxes(key, -1, -2) * scale) @ value


def _normalized(x: Array, axes: tuple[int, ...], layer_eps: float) -> Array:
    mean = x.mean(axes, keepdims=True)
    variance = np.square(x - mean).mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + x.dtype.type(layer_eps))


def _by_channel(numbers: Array, x: Array) -> Array:
    return numbers.reshape(-1, *(1,) * (x.ndim - 2))


def _batch_norm(x: Array, mean: Array, variance: Array, weight: Array, bias: Array, *, layer_eps: float) -> Array:
    scaled = (x - _by_channel(mean, x)) / np.sqrt(_by_channel(variance, x) + x.dtype.type(layer_eps))
    return scaled * _by_channel(weight, x) + _by_channel(bias, x)


def _group_norm(x: Array, weight: Array, bias: Array, *, groups: int, layer_eps: float) -> Array:
    parts = x.reshape(x.shape[0], groups, -1)
    return _normalized(parts, (-1,), layer_eps).reshape(x.shape) * _by_channel(weight, x) + _by_channel(bias, x)


def _rms_norm(x: Array, weight: Array, *, layer_eps: float) -> Array:
    return x / np.sqrt(np.square(x).mean(-1, keepdims=True) + x.dtype.type(layer_eps)) * weight


_erf_of_each = np.vectorize(math.erf, otypes=[np.float64])


def _erf(x: Array) -> Array:
    return _erf_of_each(x).astype(x.dtype)  # NumPy has none; Python's is in float64


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _gelu(x: Array) -> Array:
    half, root = x.dtype.type(0.5), x.dtype.type(math.sqrt(0.5))
    return half * x * (1 + _erf(x * root))


def _gelu_tanh(x: Array) -> Array:
    half, scale, cube = x.dtype.type(0.5), x.dtype.type(math.sqrt(2.0 / math.pi)), x.dtype.type(0.044715)
    return half * x * (1 + np.tanh(scale * (x + cube * x * x * x)))


def _windows(x: Array, window: int, stride: int) -> Array:
    return sliding_window_view(x, (window, window), axis=(2, 3))[:, :, ::stride, ::stride]


def _interpolate(x: Array, *, size: tuple[int, int]) -> Array:
    for axis, length in zip((2, 3), size):
        present = x.shape[axis]
        ratio = x.dtype.type(present / length)
        at = np.maximum((np.arange(length, dtype=x.dtype) + x.dtype.type(0.5)) * ratio - x.dtype.type(0.5), 0)
        low = np.minimum(at.astype(np.int64), present - 1)
        high = np.minimum(low + 1, present - 1)
        share = (at - low).astype(x.dtype).reshape(-1, *(1,) * (3 - axis))
        x = np.take(x, low, axis) * (1 - share) + np.take(x, high, axis) * share
    return x


def _lstm_cell(
    x: Array, hidden: Array, cell: Array, weight_ih: Array, weight_hh: Array, bias_ih: Array, bias_hh: Array
) -> tuple[Array, Array]:
    into, forget, candidate, out = np.split(x @ weight_ih.T + bias_ih + hidden @ weight_hh.T + bias_hh, 4, axis=1)
    kept = _sigmoid(forget) * cell + _sigmoid(into) * np.tanh(candidate)
    return _sigmoid(out) * np.tanh(kept), kept


def _gru_cell(x: Array, hidden: Array, weight_ih: Array, weight_hh: Array, bias_ih: Array, bias_hh: Array) -> Array:
    of_input = np.split(x @ weight_ih.T + bias_ih, 3, axis=1)
    of_hidden = np.split(hidden @ weight_hh.T + bias_hh, 3, axis=1)
    reset, update = (_sigmoid(left + right) for left, right in zip(of_input[:2], of_hidden[:2]))
    candidate = np.tanh(of_input[2] + reset * of_hidden[2])
    return (1 - update) * candidate + update * hidden


def _scatter_add(x: Array, indices: Array, source: Array) -> Array:
    result = x.copy()
    np.add.at(result, (np.arange(len(x))[:, None], indices), source)
    return result


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "linear": _linear, "matmul": np.matmul, "bmm": np.matmul, "conv1d": _convolution, "conv2d": _convolution, "conv3d": _convolution,
    "conv_transpose1d": _transposed_convolution, "conv_transpose2d": _transposed_convolution, "attention": _attention, "softmax": _softmax,
    "log_softmax": _log_softmax,
    "layer_norm": lambda x, weight, bias, *, layer_eps: _normalized(x, (-1,), layer_eps) * weight + bias,
    "rms_norm": _rms_norm, "batch_norm": _batch_norm, "group_norm": _group_norm, "relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "gelu": _gelu, "gelu_tanh": _gelu_tanh, "silu": lambda x: x * _sigmoid(x), "sigmoid": _sigmoid, "tanh": np.tanh, "exp": np.exp,
    "log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "erf": _erf, "sum": lambda x: x.sum(-1),
    "mean": lambda x: x.mean(-1), "var": lambda x: x.var(-1), "cumsum": lambda x: x.cumsum(-1),
    "max_pool2d": lambda x, *, window, stride: _windows(x, window, stride).max((-1, -2)),
    "avg_pool2d": lambda x, *, window, stride: _windows(x, window, stride).mean((-1, -2)),
    "interpolate": _interpolate, "lstm_cell": _lstm_cell, "gru_cell": _gru_cell, "embedding": lambda indices, weight: weight[indices],
    "gather": lambda x, indices: np.take_along_axis(x, indices, -1), "scatter_add": _scatter_add,
}  # fmt: skip
