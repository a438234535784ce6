"""MLX on its default device: Apple's GPU where there is one, else the processor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import torch

from .by_functions import ByFunctions


class Mlx(ByFunctions):
    """MLX."""

    name = "mlx"
    title = "MLX"
    packages = {"mlx": "mlx"}
    extra = "mlx"
    dtypes = ("float32", "bfloat16", "float16")

    def fingerprint(self) -> dict[str, str]:
        """Version and device."""
        return {**super().fingerprint(), "device": str(import_module("mlx.core").default_device())}

    def functions(self, options: Mapping[str, str]) -> Mapping[str, Callable[..., Any]]:
        """See `ByFunctions`."""
        return _functions()

    def native(self, tensor: torch.Tensor) -> Any:
        """See `ByFunctions`. bfloat16 goes by its bits, which NumPy has no type for."""
        mx = import_module("mlx.core")
        if tensor.dtype == torch.bfloat16:
            return mx.array(tensor.view(torch.uint16).numpy()).view(mx.bfloat16)
        return mx.array(tensor.numpy())

    def back(self, array: Any) -> torch.Tensor:
        """See `ByFunctions`."""
        mx = import_module("mlx.core")
        import numpy as np

        if array.dtype == mx.bfloat16:
            return torch.from_numpy(np.array(array.view(mx.uint16))).view(torch.bfloat16)
        return torch.from_numpy(np.array(array))


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    mx, nn = import_module("mlx.core"), import_module("mlx.nn")
    convolutions = {1: mx.conv1d, 2: mx.conv2d, 3: mx.conv3d}
    transposed = {1: mx.conv_transpose1d, 2: mx.conv_transpose2d}

    def last(x: Any) -> Any:
        return mx.moveaxis(x, 1, -1)

    def first(x: Any) -> Any:
        return mx.moveaxis(x, -1, 1)

    def convolution(x: Any, weight: Any, bias: Any, *, stride: int = 1, padding: int = 0) -> Any:
        return first(convolutions[x.ndim - 2](last(x), last(weight), stride=stride, padding=padding) + bias)

    def transposed_convolution(x: Any, weight: Any, bias: Any, *, stride: int = 1, padding: int = 0) -> Any:
        kernel = last(mx.swapaxes(weight, 0, 1))
        return first(transposed[x.ndim - 2](last(x), kernel, stride=stride, padding=padding) + bias)

    def attention(query: Any, key: Any, value: Any) -> Any:
        return mx.fast.scaled_dot_product_attention(query, key, value, scale=1.0 / math.sqrt(query.shape[-1]))

    def batch_norm(x: Any, mean: Any, variance: Any, weight: Any, bias: Any, *, layer_eps: float) -> Any:
        return first((last(x) - mean) * mx.rsqrt(variance + layer_eps) * weight + bias)

    def group_norm(x: Any, weight: Any, bias: Any, *, groups: int, layer_eps: float) -> Any:
        parts = mx.fast.layer_norm(x.reshape(x.shape[0], groups, -1), None, None, layer_eps)
        return first(last(parts.reshape(x.shape)) * weight + bias)

    def pooled(x: Any, window: int, stride: int, layer: Any) -> Any:
        return first(layer(window, stride)(last(x)))

    def lstm_cell(x: Any, hidden: Any, cell: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any) -> Any:
        into, forget, candidate, out = mx.split(mx.addmm(bias_ih, x, weight_ih.T) + mx.addmm(bias_hh, hidden, weight_hh.T), 4, axis=1)
        kept = mx.sigmoid(forget) * cell + mx.sigmoid(into) * mx.tanh(candidate)
        return mx.sigmoid(out) * mx.tanh(kept), kept

    def gru_cell(x: Any, hidden: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any) -> Any:
        of_input = mx.split(mx.addmm(bias_ih, x, weight_ih.T), 3, axis=1)
        of_hidden = mx.split(mx.addmm(bias_hh, hidden, weight_hh.T), 3, axis=1)
        reset, update = (mx.sigmoid(left + right) for left, right in zip(of_input[:2], of_hidden[:2]))
        candidate = mx.tanh(of_input[2] + reset * of_hidden[2])
        return (1 - update) * candidate + update * hidden

    return {
        "linear": lambda x, weight, bias: mx.addmm(bias, x, weight.T), "matmul": mx.matmul, "bmm": mx.matmul,
        "conv1d": convolution, "conv2d": convolution, "conv3d": convolution,
        "conv_transpose1d": transposed_convolution, "conv_transpose2d": transposed_convolution, "attention": attention,
        "softmax": lambda x: mx.softmax(x, -1), "log_softmax": lambda x: nn.log_softmax(x, -1),
        "layer_norm": lambda x, weight, bias, *, layer_eps: mx.fast.layer_norm(x, weight, bias, layer_eps),
        "rms_norm": lambda x, weight, *, layer_eps: mx.fast.rms_norm(x, weight, layer_eps),
        "batch_norm": batch_norm, "group_norm": group_norm, "relu": nn.relu, "gelu": nn.gelu, "gelu_tanh": nn.gelu_approx, "silu": nn.silu,
        "sigmoid": mx.sigmoid, "tanh": mx.tanh, "exp": mx.exp, "log": mx.log, "sqrt": mx.sqrt, "rsqrt": mx.rsqrt, "erf": mx.erf,
        "sum": lambda x: mx.sum(x, -1), "mean": lambda x: mx.mean(x, -1), "var": lambda x: mx.var(x, -1), "cumsum": lambda x: mx.cumsum(x, -1),
        "max_pool2d": lambda x, *, window, stride: pooled(x, window, stride, nn.MaxPool2d),
        "avg_pool2d": lambda x, *, window, stride: pooled(x, window, stride, nn.AvgPool2d),
        "lstm_cell": lstm_cell, "gru_cell": gru_cell, "embedding": lambda indices, weight: weight[indices],
        "gather": lambda x, indices: mx.take_along_axis(x, indices, -1),
        "scatter_add": lambda x, indices, source: x.at[mx.arange(len(x))[:, None], indices].add(source),
    }  # fmt: skip
