"""Arithmetic, functions and activations, forward and backward."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arithmetic import Array, Exact, erf
from .table import formula

SQRT_HALF = math.sqrt(0.5)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@formula("add")
def add(fl: Exact, x: Array, y: Any, *, alpha: float = 1) -> Array:
    return fl(np.add(x, y if alpha == 1 else fl(np.multiply(alpha, y))))


@formula("sub")
def sub(fl: Exact, x: Array, y: Any, *, alpha: float = 1) -> Array:
    return fl(np.subtract(x, y if alpha == 1 else fl(np.multiply(alpha, y))))


@formula("rsub")
def rsub(fl: Exact, x: Array, y: Any, alpha: float = 1) -> Array:
    return fl(np.subtract(y, x if alpha == 1 else fl(np.multiply(alpha, x))))


@formula("mul", "multiply")
def mul(fl: Exact, x: Array, y: Any) -> Array:
    both_boolean = np.asarray(x).dtype == bool and np.asarray(y).dtype == bool
    return np.logical_and(x, y) if both_boolean else fl(np.multiply(x, y))


@formula("div", "true_divide", "divide")
def div(fl: Exact, x: Array, y: Any, *, rounding_mode: str | None = None) -> Array:
    quotient = fl(np.true_divide(x, y))
    if rounding_mode is None:
        return quotient
    return np.floor(quotient) if rounding_mode == "floor" else np.trunc(quotient)


@formula("reciprocal")
def reciprocal(fl: Exact, x: Array) -> Array:
    return fl(1.0 / x)


@formula("pow")
def pow_(fl: Exact, x: Any, y: Any) -> Array:
    return fl.power(np.asarray(x, dtype=np.float64) if np.ndim(x) == 0 else x, y)


@formula("square")
def square(fl: Exact, x: Array) -> Array:
    return fl(x * x)


@formula("sqrt")
def sqrt(fl: Exact, x: Array) -> Array:
    return fl(np.sqrt(x))


@formula("rsqrt")
def rsqrt(fl: Exact, x: Array) -> Array:
    return fl.function("rsqrt", 1.0 / np.sqrt(x))


@formula("addcmul")
def addcmul(fl: Exact, x: Array, first: Array, second: Array, value: Any = 1) -> Array:
    return fl(x + fl(value * fl(first * second)))


@formula("addcdiv")
def addcdiv(fl: Exact, x: Array, first: Array, second: Array, value: Any = 1) -> Array:
    return fl(x + fl(value * fl(first / second)))


@formula("lerp")
def lerp(fl: Exact, x: Array, end: Array, weight: Any) -> Array:
    return fl(x + fl(weight * fl(end - x)))


@formula("sigmoid")
def sigmoid(fl: Exact, x: Array) -> Array:
    return fl.sigmoid(x)


for _name, _function in {
    "exp": np.exp, "log": np.log, "tanh": np.tanh, "erf": erf, "exp2": np.exp2, "expm1": np.expm1, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
}.items():  # fmt: skip
    formula(_name)(lambda fl, x, _name=_name, _function=_function: fl.function(_name, _function(x)))

for _name, _function in {
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "floor": np.floor, "ceil": np.ceil, "round": np.round, "trunc": np.trunc,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "logical_not": np.logical_not, "bitwise_not": np.invert,
    "conj": np.conj, "_conj": np.conj, "_conj_physical": np.conj, "sgn": np.sign, "signbit": np.signbit,
}.items():  # fmt: skip
    formula(_name)(lambda fl, x, _function=_function: _function(x))

for _name, _function in {
    "maximum": np.maximum, "minimum": np.minimum, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "remainder": np.mod, "fmod": np.fmod,
    "floor_divide": np.floor_divide,
}.items():  # fmt: skip
    formula(_name)(lambda fl, x, y, _function=_function: _function(x, y))


@formula("logaddexp")
def logaddexp(fl: Exact, x: Array, y: Array) -> Array:
    """Where the larger is negative it cancels against the logarithm: the result is small, the errors of both are not."""
    apart = np.where(x == y, 0.0, fl(np.abs(np.subtract(x, y))))  # two equal infinities are not apart
    return fl(np.maximum(x, y) + fl.function("log1p", np.log1p(fl.exp(-apart))))


@formula("logaddexp2")
def logaddexp2(fl: Exact, x: Array, y: Array) -> Array:
    apart = np.where(x == y, 0.0, fl(np.abs(np.subtract(x, y))))
    return fl(np.maximum(x, y) + fl(fl.function("log1p", np.log1p(fl.function("exp2", np.exp2(-apart)))) / math.log(2.0)))


@formula("xlogy")
def xlogy(fl: Exact, x: Any, y: Any) -> Array:
    product = fl(np.multiply(x, fl.log(np.asarray(y, dtype=np.float64))))
    return np.where((np.asarray(x) == 0) & ~np.isnan(y), 0.0, product)


@formula("special_xlog1py")
def xlog1py(fl: Exact, x: Any, y: Any) -> Array:
    product = fl(np.multiply(x, fl.function("log1p", np.log1p(np.asarray(y, dtype=np.float64)))))
    return np.where((np.asarray(x) == 0) & ~np.isnan(y), 0.0, product)


@formula("atan2")
def atan2(fl: Exact, y: Array, x: Array) -> Array:
    return fl.function("atan2", np.arctan2(y, x))


@formula("relu")
def relu(fl: Exact, x: Array) -> Array:
    return np.maximum(x, 0)


@formula("clamp")
def clamp(fl: Exact, x: Array, low: Any = None, high: Any = None, *, min: Any = None, max: Any = None) -> Array:
    low, high = (low if low is not None else min), (high if high is not None else max)
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


@formula("clamp_min")
def clamp_min(fl: Exact, x: Array, low: Any) -> Array:
    return np.maximum(x, low)


@formula("clamp_max")
def clamp_max(fl: Exact, x: Array, high: Any) -> Array:
    return np.minimum(x, high)


@formula("hardtanh")
def hardtanh(fl: Exact, x: Array, low: float = -1.0, high: float = 1.0) -> Array:
    return np.clip(x, low, high)


@formula("hardtanh_backward")
def hardtanh_backward(fl: Exact, grad: Array, x: Array, low: float, high: float) -> Array:
    return np.where((x > low) & (x < high), grad, 0.0)


@formula("threshold")
def threshold(fl: Exact, x: Array, limit: float, value: float) -> Array:
    return np.where(x <= limit, value, x)


@formula("threshold_backward")
def threshold_backward(fl: Exact, grad: Array, x: Array, limit: float) -> Array:
    return np.where(x <= limit, 0.0, grad)


@formula("leaky_relu")
def leaky_relu(fl: Exact, x: Array, slope: float = 0.01) -> Array:
    return np.where(x > 0, x, fl(x * slope))


@formula("leaky_relu_backward")
def leaky_relu_backward(fl: Exact, grad: Array, x: Array, slope: float, _is_result: bool = False) -> Array:
    return np.where(x > 0, grad, fl(grad * slope))


@formula("elu")
def elu(fl: Exact, x: Array, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Array:
    negative = fl(alpha * scale * fl.function("expm1", np.expm1(np.minimum(x, 0) * input_scale)))
    return np.where(x > 0, fl(x * scale), negative)


@formula("elu_backward")
def elu_backward(fl: Exact, grad: Array, alpha: float, scale: float, input_scale: float, is_result: bool, x: Array) -> Array:
    if is_result:
        negative = fl(grad * input_scale * fl(x + alpha * scale))
    else:
        negative = fl(grad * fl(input_scale * alpha * scale * fl.exp(np.minimum(x, 0) * input_scale)))
    return np.where(x > 0, fl(grad * scale), negative)


@formula("gelu")
def gelu(fl: Exact, x: Array, *, approximate: str = "none") -> Array:
    if approximate == "tanh":
        inner = fl(math.sqrt(2.0 / math.pi) * fl(x + fl(0.044715 * fl(fl(x * x) * x))))
        return fl(0.5 * x * fl(1.0 + fl.tanh(inner)))
    return fl(0.5 * x * fl(1.0 + fl.erf(fl(x * SQRT_HALF))))


@formula("gelu_backward")
def gelu_backward(fl: Exact, grad: Array, x: Array, *, approximate: str = "none") -> Array:
    if approximate == "tanh":
        beta, kappa = math.sqrt(2.0 / math.pi), 0.044715
        inner = fl(beta * fl(x + fl(kappa * fl(fl(x * x) * x))))
        t = fl.tanh(inner)
        left = fl(0.5 * fl(1.0 + t))
        right = fl(fl(0.5 * x * fl(1.0 - fl(t * t))) * fl(beta * fl(1.0 + fl(3.0 * kappa * fl(x * x)))))
        return fl(grad * fl(left + right))
    cdf = fl(0.5 * fl(1.0 + fl.erf(fl(x * SQRT_HALF))))
    density = fl(fl.exp(fl(-0.5 * fl(x * x))) / math.sqrt(2.0 * math.pi))
    return fl(grad * fl(cdf + fl(x * density)))


@formula("silu")
def silu(fl: Exact, x: Array) -> Array:
    return fl(x / fl(1.0 + fl.exp(-x)))


@formula("silu_backward")
def silu_backward(fl: Exact, grad: Array, x: Array) -> Array:
    s = fl.sigmoid(x)
    return fl(grad * fl(s * fl(1.0 + fl(x * fl(1.0 - s)))))


@formula("sigmoid_backward")
def sigmoid_backward(fl: Exact, grad: Array, y: Array) -> Array:
    return fl(fl(grad * fl(1.0 - y)) * y)


@formula("tanh_backward")
def tanh_backward(fl: Exact, grad: Array, y: Array) -> Array:
    return fl(grad * fl(1.0 - fl(y * y)))


@formula("softplus")
def softplus(fl: Exact, x: Array, beta: float = 1, limit: float = 20) -> Array:
    scaled = fl(x * beta)
    return np.where(scaled > limit, x, fl(fl.function("log1p", np.log1p(fl.exp(np.minimum(scaled, limit)))) / beta))


@formula("softplus_backward")
def softplus_backward(fl: Exact, grad: Array, x: Array, beta: float, limit: float) -> Array:
    z = fl.exp(np.minimum(fl(x * beta), limit))
    return np.where(x * beta > limit, grad, fl(fl(grad * z) / fl(z + 1.0)))


@formula("log_sigmoid_forward")
def log_sigmoid_forward(fl: Exact, x: Array) -> tuple[Array | None, ...]:
    z = fl.exp(-np.abs(x))
    return fl(np.minimum(x, 0) - fl.function("log1p", np.log1p(z))), None


@formula("hardswish")
def hardswish(fl: Exact, x: Array) -> Array:
    return fl(fl(x * np.clip(fl(x + 3.0), 0, 6)) / 6.0)


@formula("hardsigmoid")
def hardsigmoid(fl: Exact, x: Array) -> Array:
    return fl(np.clip(fl(x + 3.0), 0, 6) / 6.0)


@formula("mish")
def mish(fl: Exact, x: Array) -> Array:
    return fl(x * fl.tanh(fl.function("log1p", np.log1p(fl.exp(x)))))


@formula("where")
def where(fl: Exact, condition: Array, x: Any, y: Any) -> Array:
    return np.where(condition, x, y)


@formula("nan_to_num")
def nan_to_num(fl: Exact, x: Array, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Array:
    return np.nan_to_num(x, nan=nan or 0.0, posinf=posinf, neginf=neginf)


@formula("native_dropout_backward")
def native_dropout_backward(fl: Exact, grad: Array, mask: Array, scale: float) -> Array:
    return fl(grad * mask * scale)


@formula("prelu", "_prelu_kernel")
def prelu(fl: Exact, x: Array, weight: Array) -> Array:
    return np.where(x > 0, x, fl(weight * x))


@formula("_prelu_kernel_backward")
def prelu_backward(fl: Exact, grad: Array, x: Array, weight: Array) -> tuple[Array, Array]:
    return np.where(x > 0, grad, fl(weight * grad)), np.where(x > 0, 0.0, fl(x * grad))


__all__ = ["erf"]
