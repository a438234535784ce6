"""JAX on its default device, compiled by XLA or op by op."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Generator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import torch

from ..arrays import as_numpy, as_tensor
from ..interface import Option
from ..program import Program, Watched
from .by_functions import ByFunctions

PRODUCTS = frozenset(("products", "convolutions"))


class Jax(ByFunctions):
    """JAX."""

    name = "jax"
    title = "JAX"
    packages = {"jax": "jax", "jaxlib": "jaxlib"}
    extra = "jax"
    dtypes = ("float32", "float64", "bfloat16", "float16")
    options = (
        Option("compiled", ("jit", "op by op"), "fusion", frozenset(("everything",)), {"jit": "jax.jit(f)", "op by op": "jax.disable_jit()"}),
        Option("precision", ("default", "highest"), "matmul precision", PRODUCTS, {
            "default": 'jax.default_matmul_precision("default")', "highest": 'jax.default_matmul_precision("highest")',
        }),
    )  # fmt: skip

    def fingerprint(self) -> dict[str, str]:
        """Versions, device, and the flags of XLA."""
        import os

        jax = import_module("jax")
        return {**super().fingerprint(), "device": str(jax.devices()[0]), "XLA_FLAGS": os.environ.get("XLA_FLAGS", "")}

    def functions(self, options: Mapping[str, str]) -> Mapping[str, Callable[..., Any]]:
        """See `ByFunctions`."""
        return _functions()

    def native(self, tensor: torch.Tensor) -> Any:
        """See `ByFunctions`. JAX may keep the memory of an array that it is given: it gets a copy."""
        with _wide():
            return import_module("jax.numpy").array(as_numpy(tensor), copy=True)

    def back(self, array: Any) -> torch.Tensor:
        """See `ByFunctions`."""
        return as_tensor(array)

    def prepared(self, function: Callable[..., Any], options: Mapping[str, str]) -> Callable[..., Any]:
        """Under jit (or not), with float64 where it is given."""
        jax = import_module("jax")
        precision = None if options["precision"] == "default" else options["precision"]
        compiled = jax.jit(function) if options["compiled"] == "jit" else function

        def run(*arrays: Any) -> Any:
            with _wide(), jax.default_matmul_precision(precision) if precision else contextlib.nullcontext():
                return compiled(*arrays)

        return run

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`. A function is looked into by evaluating its jaxpr, equation by equation."""
        from .jaxprs import watch

        program = super().build(target, arguments, keywords, options)
        if isinstance(target, torch.nn.Module):
            return program

        def look(tensors: list[torch.Tensor]) -> Watched:
            with _wide():
                return watch(target, arguments, keywords, tensors, self.native, self.back, program.run)

        return Program(program.run, program.structure, look, program.remarks)


@contextlib.contextmanager
def _wide() -> Generator[None]:
    """float64 is computed as float64 inside; without it JAX turns it into float32 and says nothing."""
    jax = import_module("jax")
    enable = jax.enable_x64 if hasattr(jax, "enable_x64") else import_module("jax.experimental").enable_x64
    with enable(True):
        yield


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    lax, nn = jax.lax, jax.nn
    letters = {1: "W", 2: "HW", 3: "DHW"}

    def by_channel(numbers: Any, x: Any) -> Any:
        return numbers.reshape(-1, *(1,) * (x.ndim - 2))

    def convolution(x: Any, weight: Any, bias: Any, *, stride: int = 1, padding: int = 0) -> Any:
        axes = x.ndim - 2
        names = letters[axes]
        numbers = (f"NC{names}", f"OI{names}", f"NC{names}")
        return lax.conv_general_dilated(x, weight, (stride,) * axes, ((padding, padding),) * axes, dimension_numbers=numbers) + by_channel(
            bias, x
        )

    def transposed_convolution(x: Any, weight: Any, bias: Any, *, stride: int = 1, padding: int = 0) -> Any:
        axes = x.ndim - 2
        names, kernel = letters[axes], weight.shape[2:]
        flipped = jnp.flip(weight, tuple(range(2, weight.ndim))).swapaxes(0, 1)
        around = tuple((width - 1 - padding, width - 1 - padding) for width in kernel)
        numbers = (f"NC{names}", f"OI{names}", f"NC{names}")
        return lax.conv_general_dilated(
            x, flipped, (1,) * axes, around, lhs_dilation=(stride,) * axes, dimension_numbers=numbers
        ) + by_channel(bias, x)

    def attention(query: Any, key: Any, value: Any) -> Any:
        # jax.nn takes (batch, length, heads, width)
        moved = (item.swapaxes(1, 2) for item in (query, key, value))
        return nn.dot_product_attention(*moved).swapaxes(1, 2)

    def normalized(x: Any, axis: int, layer_eps: float) -> Any:
        mean = x.mean(axis, keepdims=True)
        variance = jnp.square(x - mean).mean(axis, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + layer_eps)

    def group_norm(x: Any, weight: Any, bias: Any, *, groups: int, layer_eps: float) -> Any:
        parts = normalized(x.reshape(x.shape[0], groups, -1), -1, layer_eps)
        return parts.reshape(x.shape) * by_channel(weight, x) + by_channel(bias, x)

    def batch_norm(x: Any, mean: Any, variance: Any, weight: Any, bias: Any, *, layer_eps: float) -> Any:
        return (x - by_channel(mean, x)) * lax.rsqrt(by_channel(variance, x) + layer_eps) * by_channel(weight, x) + by_channel(bias, x)

    def pooled(x: Any, start: Any, combine: Any, window: int, stride: int) -> Any:
        return lax.reduce_window(x, jnp.asarray(start, x.dtype), combine, (1, 1, window, window), (1, 1, stride, stride), "VALID")

    def interpolate(x: Any, *, size: tuple[int, int]) -> Any:
        return jax.image.resize(x, (*x.shape[:2], *size), "bilinear", antialias=False)

    def lstm_cell(x: Any, hidden: Any, cell: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any) -> Any:
        into, forget, candidate, out = jnp.split(x @ weight_ih.T + bias_ih + hidden @ weight_hh.T + bias_hh, 4, axis=1)
        kept = nn.sigmoid(forget) * cell + nn.sigmoid(into) * jnp.tanh(candidate)
        return nn.sigmoid(out) * jnp.tanh(kept), kept

    def gru_cell(x: Any, hidden: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any) -> Any:
        of_input = jnp.split(x @ weight_ih.T + bias_ih, 3, axis=1)
        of_hidden = jnp.split(hidden @ weight_hh.T + bias_hh, 3, axis=1)
        reset, update = (nn.sigmoid(left + right) for left, right in zip(of_input[:2], of_hidden[:2]))
        candidate = jnp.tanh(of_input[2] + reset * of_hidden[2])
        return (1 - update) * candidate + update * hidden

    return {
        "linear": lambda x, weight, bias: x @ weight.T + bias, "matmul": jnp.matmul, "bmm": jnp.matmul,
        "conv1d": convolution, "conv2d": convolution, "conv3d": convolution,
        "conv_transpose1d": transposed_convolution, "conv_transpose2d": transposed_convolution, "attention": attention,
        "softmax": lambda x: nn.softmax(x, -1), "log_softmax": lambda x: nn.log_softmax(x, -1),
        "layer_norm": lambda x, weight, bias, *, layer_eps: normalized(x, -1, layer_eps) * weight + bias,
        "rms_norm": lambda x, weight, *, layer_eps: x * lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + layer_eps) * weight,
        "batch_norm": batch_norm, "group_norm": group_norm, "relu": nn.relu, "gelu": lambda x: nn.gelu(x, approximate=False),
        "gelu_tanh": lambda x: nn.gelu(x, approximate=True), "silu": nn.silu, "sigmoid": nn.sigmoid, "tanh": jnp.tanh, "exp": jnp.exp,
        "log": jnp.log, "sqrt": jnp.sqrt, "rsqrt": lax.rsqrt, "erf": lax.erf, "sum": lambda x: x.sum(-1), "mean": lambda x: x.mean(-1),
        "var": lambda x: x.var(-1), "cumsum": lambda x: x.cumsum(-1),
        "max_pool2d": lambda x, *, window, stride: pooled(x, -math.inf, lax.max, window, stride),
        "avg_pool2d": lambda x, *, window, stride: pooled(x, 0.0, lax.add, window, stride) / (window * window),
        "interpolate": interpolate, "lstm_cell": lstm_cell, "gru_cell": gru_cell,
        "embedding": lambda indices, weight: weight[indices], "gather": lambda x, indices: jnp.take_along_axis(x, indices, -1),
        "scatter_add": lambda x, indices, source: x.at[jnp.arange(len(x))[:, None], indices].add(source),
    }  # fmt: skip
