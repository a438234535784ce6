"""The functions of a datasheet, by name, for each library."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

ROOT = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor frac i0 lgamma log log10 "
    "log1p "
    "log2 neg positive rad2deg reciprocal relu round rsqrt sigmoid sign sin sinc sinh sqrt square tan tanh trunc"
).split()
SPECIAL = (
    "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 entr erfcx i0e i1 i1e log_ndtr modified_bessel_k0 modified_bessel_k1 ndtr ndtri "
    "scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0"
).split()
ACTIVATIONS = (
    "celu elu gelu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 selu silu softplus softsign tanhshrink"
).split()
PARAMETRIZED: dict[str, Callable[[Any], Any]] = {
    "logit": lambda x: torch.logit(x),
    "gelu (tanh)": lambda x: F.gelu(x, approximate="tanh"),
    "pow(x, 0.5)": lambda x: torch.pow(x, 0.5),
    "pow(x, 3)": lambda x: torch.pow(x, 3),
    "polygamma(1, x)": lambda x: torch.polygamma(1, x),
}

TORCH_UNARY: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(torch, name) for name in ROOT},
    **{name: getattr(torch.special, name) for name in SPECIAL},
    **{name: getattr(F, name) for name in ACTIVATIONS},
    **PARAMETRIZED,
}
"""Every elementwise function of one argument in torch, torch.special and torch.nn.functional that returns floating point."""

TORCH_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(torch, name) for name in "add sub mul div atan2 pow fmod remainder hypot logaddexp logaddexp2 xlogy maximum".split()
}

STEPS = frozenset(("ceil", "floor", "round", "trunc", "sign", "frac", "positive", "neg", "abs", "relu"))
"""Derivatives of these are constants."""

RENAMED = {
    **{name: name.replace("a", "arc", 1) for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "atan2")},
    **{"neg": "negative", "round": "rint", "sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power"},
}
SHARED = (
    "abs ceil cos cosh deg2rad exp exp2 expm1 floor log log10 log1p log2 rad2deg reciprocal sign sin sinh sqrt square tan tanh trunc"
).split()
NUMPY_NAMES = {name: RENAMED.get(name, name) for name in (*SHARED, *(name for name in RENAMED if name in ROOT))}
NUMPY_BINARY_NAMES = {name: RENAMED.get(name, name) for name in TORCH_BINARY if name != "xlogy"}
"""Ours, and the name that NumPy and jax.numpy have for it."""

BACKEND_NAMES = {
    **{name: name for name in "exp log sqrt rsqrt erf sigmoid tanh silu gelu".split()},
    "gelu (tanh)": "gelu_tanh",
}
"""Ours, and the op of the backends' table that computes it."""


def reference(name: str, arguments: tuple[Any, ...]) -> Any:
    """The function's value in float64, for tensors of float64: exact enough for formats of up to 24 bits.

    Its error is a few units of the 53rd bit, 2**-28 ulps of float32, except for functions that lose digits in float64 themselves near their
    zeros; those that have a better formula use it here.
    """
    if name in ("add", "sub", "mul", "div"):
        return getattr(torch, name)(*arguments)
    if name == "sinc":  # the argument of the sine is reduced before the multiplication with pi, which rounds
        x = arguments[0]
        reduced = torch.remainder(x, 2.0)
        return torch.where(x == 0, torch.ones_like(x), torch.sin(math.pi * torch.where(reduced > 1, reduced - 2, reduced)) / (math.pi * x))
    table: dict[str, Callable[..., Any]] = {**TORCH_UNARY, **TORCH_BINARY}
    return table[name](*arguments)
