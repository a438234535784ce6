"""Normalizations and softmax, forward and backward, each by its textbook formula: the mean first, then the squares of what is left."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arithmetic import Array, Exact
from .table import formula


def _axes(x: Array, dims: Any) -> tuple[int, ...]:
    if dims is None or dims == []:
        return tuple(range(x.ndim))
    return tuple(axis % max(1, x.ndim) for axis in ([dims] if isinstance(dims, int) else dims))


def centered(fl: Exact, x: Array, axes: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """X minus its mean, the mean, and the biased variance, with the axes kept."""
    mean = fl.mean(x, axes, keepdims=True)
    rest = fl(x - mean)
    return rest, mean, fl.mean(fl(rest * rest), axes, keepdims=True)


def inverse_root(fl: Exact, variance: Array, layer_eps: float) -> Array:
    """1 / sqrt(variance + eps)."""
    return fl.function("rsqrt", 1.0 / np.sqrt(fl(variance + layer_eps)))


def normalized_backward(fl: Exact, grad: Array, normal: Array, scale: Array, axes: tuple[int, ...]) -> Array:
    """The gradient through (x - mean) * scale, from that of the result: scale / n (n g - sum(g) - normal sum(g normal))."""
    count = math.prod(grad.shape[axis] for axis in axes)
    total = fl.sum(grad, axes, keepdims=True)
    along = fl(normal * fl.sum(fl(grad * normal), axes, keepdims=True))
    return fl(fl(scale / count) * fl(fl(fl(grad * count) - total) - along))


@formula("native_layer_norm")
def native_layer_norm(fl: Exact, x: Array, shape: Any, weight: Array | None, bias: Array | None, layer_eps: float) -> tuple[Array, ...]:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    rest, mean, variance = centered(fl, x, axes)
    scale = inverse_root(fl, variance, layer_eps)
    y = fl(rest * scale)
    y = y if weight is None else fl(y * weight)
    return (y if bias is None else fl(y + bias)), mean, scale


@formula("native_layer_norm_backward")
def native_layer_norm_backward(
    fl: Exact, grad: Array, x: Array, shape: Any, mean: Array, scale: Array, weight: Array | None, bias: Array | None, wanted: Any
) -> tuple[Array | None, ...]:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    outer = tuple(range(x.ndim - len(shape)))
    normal = fl(fl(x - mean) * scale)
    to_x = normalized_backward(fl, grad if weight is None else fl(grad * weight), normal, scale, axes) if wanted[0] else None
    to_weight = fl.sum(fl(grad * normal), outer) if wanted[1] else None
    return to_x, to_weight, (fl.sum(grad, outer) if wanted[2] else None)


@formula("_fused_rms_norm", "rms_norm")
def rms_norm(fl: Exact, x: Array, shape: Any, weight: Array | None = None, layer_eps: float | None = None) -> tuple[Array, ...]:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    layer_eps = 2.0**-23 if layer_eps is None else layer_eps
    scale = inverse_root(fl, fl.mean(fl(x * x), axes, keepdims=True), layer_eps)
    y = fl(x * scale)
    return (y if weight is None else fl(y * weight)), scale


@formula("_fused_rms_norm_backward")
def rms_norm_backward(fl: Exact, grad: Array, x: Array, shape: Any, scale: Array, weight: Array | None, wanted: Any) -> tuple[Any, ...]:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    normal = fl(x * scale)
    weighted = grad if weight is None else fl(grad * weight)
    spread = fl.mean(fl(weighted * normal), axes, keepdims=True)
    to_x = fl(scale * fl(weighted - fl(normal * spread)))
    return to_x, (fl.sum(fl(grad * normal), tuple(range(x.ndim - len(shape)))) if weight is not None else None)


def _per_channel(x: Array, values: Array | None) -> Array | None:
    return None if values is None else values.reshape(1, -1, *(1,) * (x.ndim - 2))


def _batch_norm(
    fl: Exact, x: Array, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, momentum: float, layer_eps: float
) -> tuple[Array | None, ...]:
    axes = (0, *range(2, x.ndim))
    if training:
        rest, batch_mean, batch_variance = centered(fl, x, axes)
    else:
        batch_mean, batch_variance = _per_channel(x, mean), _per_channel(x, variance)
        assert batch_mean is not None and batch_variance is not None
        return _folded(fl, x, weight, bias, batch_mean, batch_variance, layer_eps), None, None, mean, variance
    scale = inverse_root(fl, batch_variance, layer_eps)
    y = fl(rest * scale)
    y = y if weight is None else fl(y * _per_channel(x, weight))
    y = y if bias is None else fl(y + _per_channel(x, bias))
    count = x.size // max(1, x.shape[1])
    unbiased = fl(batch_variance.reshape(-1) * (count / max(1, count - 1)))
    moved = [
        None if old is None else fl(fl((1.0 - momentum) * old) + fl(momentum * new))
        for old, new in ((mean, batch_mean.reshape(-1)), (variance, unbiased))
    ]
    return y, batch_mean.reshape(-1), scale.reshape(-1), *moved


def _folded(fl: Exact, x: Array, weight: Any, bias: Any, mean: Array, variance: Array, layer_eps: float) -> Array:
    """In inference: one multiplication and one addition, as every engine folds them. Where x is near the mean they cancel."""
    scale = inverse_root(fl, variance, layer_eps)
    scale = scale if weight is None else fl(scale * _per_channel(x, weight))
    shift = fl(-mean * scale)
    shift = shift if bias is None else fl(shift + _per_channel(x, bias))
    return fl(fl(x * scale) + shift)


@formula("native_batch_norm", "_native_batch_norm_legit", "cudnn_batch_norm", "miopen_batch_norm")
def native_batch_norm(fl: Exact, x: Array, weight: Any, bias: Any, mean: Any, variance: Any, *rest: Any) -> tuple[Array | None, ...] | None:
    if not isinstance(mean, np.ndarray) and mean is not None:
        return None  # the overload without running statistics passes the flags here
    return _batch_norm(fl, x, weight, bias, mean, variance, *rest)


@formula("_batch_norm_with_update")
def batch_norm_with_update(
    fl: Exact, x: Array, weight: Any, bias: Any, mean: Any, variance: Any, momentum: float, layer_eps: float
) -> tuple[Array | None, ...]:
    y, batch_mean, scale, *moved = _batch_norm(fl, x, weight, bias, mean, variance, True, momentum, layer_eps)
    return y, batch_mean, scale, None, *moved


@formula("_native_batch_norm_legit_no_training")
def batch_norm_no_training(
    fl: Exact, x: Array, weight: Any, bias: Any, mean: Array, variance: Array, momentum: float, layer_eps: float
) -> Any:
    return _batch_norm(fl, x, weight, bias, mean, variance, False, momentum, layer_eps)[0], None, None


@formula("native_batch_norm_backward")
def native_batch_norm_backward(
    fl: Exact, grad: Array, x: Array, weight: Any, mean: Any, variance: Any, saved_mean: Any, saved_scale: Any, training: bool,
    layer_eps: float, wanted: Any,
) -> tuple[Array | None, ...]:  # fmt: skip
    axes = (0, *range(2, x.ndim))
    if training:
        center, scale = _per_channel(x, saved_mean), _per_channel(x, saved_scale)
    else:
        center, spread = _per_channel(x, mean), _per_channel(x, variance)
        assert spread is not None
        scale = inverse_root(fl, spread, layer_eps)
    normal = fl(fl(x - center) * scale)
    weighted = grad if weight is None else fl(grad * _per_channel(x, weight))
    assert scale is not None
    to_x = normalized_backward(fl, weighted, normal, scale, axes) if training else fl(weighted * scale)
    to_weight = fl.sum(fl(grad * normal), axes) if wanted[1] else None
    return (to_x if wanted[0] else None), to_weight, (fl.sum(grad, axes) if wanted[2] else None)


@formula("native_group_norm")
def native_group_norm(
    fl: Exact, x: Array, weight: Any, bias: Any, batch: int, channels: int, pixels: int, groups: int, layer_eps: float
) -> tuple[Array, ...]:
    grouped = x.reshape(batch, groups, -1)
    rest, mean, variance = centered(fl, grouped, (2,))
    scale = inverse_root(fl, variance, layer_eps)
    y = fl(rest * scale).reshape(x.shape)
    y = y if weight is None else fl(y * _per_channel(x, weight))
    return (y if bias is None else fl(y + _per_channel(x, bias))), mean[..., 0], scale[..., 0]


@formula("native_group_norm_backward")
def native_group_norm_backward(
    fl: Exact,
    grad: Array,
    x: Array,
    mean: Array,
    scale: Array,
    weight: Any,
    batch: int,
    channels: int,
    pixels: int,
    groups: int,
    wanted: Any,
) -> tuple[Array | None, ...]:
    shape = (batch, groups, -1)
    normal = fl(fl(x.reshape(shape) - mean[..., None]) * scale[..., None])
    weighted = grad if weight is None else fl(grad * _per_channel(x, weight))
    to_x = normalized_backward(fl, weighted.reshape(shape), normal, scale[..., None], (2,)).reshape(x.shape) if wanted[0] else None
    axes = (0, *range(2, x.ndim))
    return to_x, fl.sum(fl(grad * normal.reshape(x.shape)), axes) if wanted[1] else None, fl.sum(grad, axes) if wanted[2] else None


def softmax_of(fl: Exact, x: Array, axis: int) -> Array:
    """exp(x - max) over its sum; rows that are minus infinity throughout give NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        e = fl.exp(fl(x - x.max(axis, keepdims=True)))
        return fl(e / fl.sum(e, axis, keepdims=True))


@formula("_softmax", "softmax")
def softmax(fl: Exact, x: Array, axis: int, *_: Any) -> Array:
    return softmax_of(fl, x, axis) if x.size else x


@formula("_safe_softmax")
def safe_softmax(fl: Exact, x: Array, axis: int, *_: Any, **__: Any) -> Array:
    empty = np.isneginf(x).all(axis, keepdims=True)
    return np.where(empty, 0.0, softmax_of(fl, np.where(empty, 0.0, x), axis))


@formula("_softmax_backward_data")
def softmax_backward(fl: Exact, grad: Array, y: Array, axis: int, *_: Any) -> Array:
    return fl(y * fl(grad - fl.sum(fl(grad * y), axis, keepdims=True)))


@formula("_log_softmax", "log_softmax")
def log_softmax(fl: Exact, x: Array, axis: int, *_: Any) -> Array:
    shifted = fl(x - x.max(axis, keepdims=True))
    return fl(shifted - fl.log(fl.sum(fl.exp(shifted), axis, keepdims=True)))


@formula("_log_softmax_backward_data")
def log_softmax_backward(fl: Exact, grad: Array, y: Array, axis: int, *_: Any) -> Array:
    return fl(grad - fl(fl.exp(y) * fl.sum(grad, axis, keepdims=True)))


@formula("logsumexp")
def logsumexp(fl: Exact, x: Array, dims: Any, keepdim: bool = False) -> Array:
    axes = _axes(x, dims)
    largest = x.max(axes, keepdims=True)
    found = fl(largest + fl.log(fl.sum(fl.exp(fl(x - largest)), axes, keepdims=True)))
    return found if keepdim else np.squeeze(found, axes)


def _variance(fl: Exact, x: Array, dims: Any, correction: Any, keepdim: bool) -> tuple[Array, Array]:
    axes = _axes(x, dims)
    rest, mean, _ = centered(fl, x, axes)
    count = math.prod(x.shape[axis] for axis in axes)
    freedom = max(0.0, count - (1.0 if correction is None else float(correction)))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = fl(fl.sum(fl(rest * rest), axes, keepdims=True) / np.float64(freedom))
    return (found, mean) if keepdim else (np.squeeze(found, axes), np.squeeze(mean, axes))


@formula("var")
def var(fl: Exact, x: Array, dims: Any = None, unbiased: Any = True, keepdim: bool = False, *, correction: Any = None) -> Array:
    if isinstance(dims, bool):
        dims, unbiased = None, dims
    return _variance(fl, x, dims, (1 if unbiased else 0) if correction is None else correction, keepdim)[0]


@formula("std")
def std(fl: Exact, x: Array, dims: Any = None, unbiased: Any = True, keepdim: bool = False, *, correction: Any = None) -> Array:
    return fl(np.sqrt(var(fl, x, dims, unbiased, keepdim, correction=correction)))


@formula("var_mean")
def var_mean(fl: Exact, x: Array, dims: Any = None, unbiased: Any = True, keepdim: bool = False, *, correction: Any = None) -> Any:
    return _variance(fl, x, dims, (1 if unbiased else 0) if correction is None else correction, keepdim)
