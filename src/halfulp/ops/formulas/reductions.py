"""Sums, means, extremes, norms, and losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import bounded
from ..arithmetic import Array, Exact
from .shapes import typed
from .table import formula


def _axes(x: Array, dims: Any) -> tuple[int, ...]:
    if dims is None or dims == []:
        return tuple(range(x.ndim))
    return tuple(axis % max(1, x.ndim) for axis in ([dims] if isinstance(dims, int) else dims))


@formula("sum", "nansum")
def sum_(fl: Exact, x: Array, dims: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Array:
    x = typed(x, dtype)
    return fl.sum(x.astype(np.int64) if x.dtype == bool else x, _axes(x, dims), keepdims=keepdim)


@formula("mean")
def mean(fl: Exact, x: Array, dims: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Array:
    return fl.mean(typed(x, dtype), _axes(x, dims), keepdims=keepdim)


@formula("cumsum")
def cumsum(fl: Exact, x: Array, axis: int, *, dtype: Any = None) -> Array:
    return fl.scan(typed(x, dtype), axis) if x.ndim else x


@formula("cumprod")
def cumprod(fl: Exact, x: Array, axis: int, *, dtype: Any = None) -> Array:
    return fl.scan_of_factors(typed(x, dtype), axis) if x.ndim else x


@formula("prod")
def prod(fl: Exact, x: Array, axis: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Array:
    return fl.factors(typed(x, dtype), axis, keepdims=keepdim)


@formula("amax")
def amax(fl: Exact, x: Array, dims: Any = (), keepdim: bool = False) -> Array:
    return np.max(x, axis=_axes(x, list(dims) if not isinstance(dims, int) else dims), keepdims=keepdim)


@formula("amin")
def amin(fl: Exact, x: Array, dims: Any = (), keepdim: bool = False) -> Array:
    return np.min(x, axis=_axes(x, list(dims) if not isinstance(dims, int) else dims), keepdims=keepdim)


def _extreme(x: Array, arguments: tuple[Any, ...], pick: Any, where: Any) -> Any:
    if not arguments:
        return np.asarray(pick(x))
    if isinstance(arguments[0], np.ndarray):
        return (np.maximum if pick is np.max else np.minimum)(x, arguments[0])
    axis, keepdim = arguments[0], len(arguments) > 1 and arguments[1]
    places = np.expand_dims(where(x, axis=axis), axis)
    values = np.take_along_axis(x, places, axis)
    return (values, places) if keepdim else (np.squeeze(values, axis), np.squeeze(places, axis))


@formula("max")
def max_(fl: Exact, x: Array, *arguments: Any) -> Any:
    return _extreme(x, arguments, np.max, np.argmax)


@formula("min")
def min_(fl: Exact, x: Array, *arguments: Any) -> Any:
    return _extreme(x, arguments, np.min, np.argmin)


@formula("argmax")
def argmax(fl: Exact, x: Array, axis: int | None = None, keepdim: bool = False) -> Array:
    return np.asarray(np.argmax(x, axis=axis, keepdims=keepdim))


@formula("argmin")
def argmin(fl: Exact, x: Array, axis: int | None = None, keepdim: bool = False) -> Array:
    return np.asarray(np.argmin(x, axis=axis, keepdims=keepdim))


@formula("any")
def any_(fl: Exact, x: Array, axis: Any = None, keepdim: bool = False) -> Array:
    return np.asarray(np.any(x, axis=axis if not isinstance(axis, list) else tuple(axis), keepdims=keepdim))


@formula("all")
def all_(fl: Exact, x: Array, axis: Any = None, keepdim: bool = False) -> Array:
    return np.asarray(np.all(x, axis=axis if not isinstance(axis, list) else tuple(axis), keepdims=keepdim))


@formula("topk")
def topk(fl: Exact, x: Array, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, Array]:
    places = np.argsort(-x if largest else x, axis=axis, kind="stable")
    places = np.take(places, bounded.arange(k), axis=axis)
    return np.take_along_axis(x, places, axis), places


@formula("sort")
def sort(fl: Exact, x: Array, axis: int = -1, descending: bool = False, **_: Any) -> tuple[Array, Array]:
    places = np.argsort(-x if descending else x, axis=axis, kind="stable")
    return np.take_along_axis(x, places, axis), places


@formula("linalg_vector_norm", "norm")
def vector_norm(fl: Exact, x: Array, order: Any = 2, dims: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Array | None:
    order = 2 if order is None else order
    axes = _axes(x, dims)
    if order == math.inf:
        return np.max(np.abs(x), axis=axes, keepdims=keepdim)
    if order == 1:
        return fl.sum(np.abs(x), axes, keepdims=keepdim)
    return fl(np.sqrt(fl.sum(fl(x * x), axes, keepdims=keepdim))) if order == 2 else None


def _reduced(fl: Exact, losses: Array, reduction: int) -> Array:
    return losses if reduction == 0 else fl.mean(losses) if reduction == 1 else fl.sum(losses)


@formula("mse_loss")
def mse_loss(fl: Exact, x: Array, target: Array, reduction: int = 1) -> Array:
    rest = fl(x - target)
    return _reduced(fl, fl(rest * rest), reduction)


@formula("mse_loss_backward")
def mse_loss_backward(fl: Exact, grad: Array, x: Array, target: Array, reduction: int) -> Array:
    return fl(fl(grad * (2.0 / x.size if reduction == 1 else 2.0)) * fl(x - target))


@formula("l1_loss")
def l1_loss(fl: Exact, x: Array, target: Array, reduction: int = 1) -> Array:
    return _reduced(fl, np.abs(fl(x - target)), reduction)


@formula("huber_loss")
def huber_loss(fl: Exact, x: Array, target: Array, reduction: int = 1, delta: float = 1.0) -> Array:
    rest = np.abs(fl(x - target))
    return _reduced(fl, np.where(rest < delta, fl(0.5 * fl(rest * rest)), fl(delta * fl(rest - 0.5 * delta))), reduction)


@formula("smooth_l1_loss")
def smooth_l1_loss(fl: Exact, x: Array, target: Array, reduction: int = 1, beta: float = 1.0) -> Array:
    rest = np.abs(fl(x - target))
    return _reduced(fl, np.where(rest < beta, fl(fl(0.5 * rest * rest) / beta), fl(rest - 0.5 * beta)), reduction)


def _classes(x: Array, target: Array) -> tuple[Array, Array]:
    """Class scores as (batch, classes, places) and targets as (batch, places)."""
    scores = x.reshape(1, -1, 1) if x.ndim == 1 else x.reshape(x.shape[0], x.shape[1], -1)
    return scores, target.reshape(scores.shape[0], -1)


@formula("nll_loss_forward", "nll_loss2d_forward")
def nll_loss(fl: Exact, x: Array, target: Array, weight: Array | None, reduction: int, ignored: int) -> tuple[Array, Array]:
    scores, wanted = _classes(x, target)
    used = wanted != ignored
    safe = np.where(used, wanted, 0)
    weights = (bounded.ones(scores.shape[1]) if weight is None else weight)[safe] * used
    losses = fl(-np.take_along_axis(scores, safe[:, None], 1)[:, 0] * weights)
    total = np.asarray(weights.sum())
    if reduction == 0:
        return losses.reshape(target.shape), np.asarray(0.0)
    with np.errstate(invalid="ignore"):
        summed = fl.sum(losses)
        return (fl(summed / total) if reduction == 1 else summed), total


@formula("nll_loss_backward", "nll_loss2d_backward")
def nll_loss_backward(
    fl: Exact, grad: Array, x: Array, target: Array, weight: Array | None, reduction: int, ignored: int, total: Array
) -> Array:
    scores, wanted = _classes(x, target)
    used = wanted != ignored
    safe = np.where(used, wanted, 0)
    weights = (bounded.ones(scores.shape[1]) if weight is None else weight)[safe] * used
    each = grad.reshape(wanted.shape) if reduction == 0 else grad / (total if reduction == 1 else 1.0)
    result = bounded.zeros(scores.shape)
    np.put_along_axis(result, safe[:, None], fl(-weights * each)[:, None], 1)
    return result.reshape(x.shape)


@formula("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    fl: Exact, x: Array, target: Array, weight: Array | None = None, positive: Array | None = None, reduction: int = 1
) -> Array | None:
    if positive is not None:
        return None
    softplus = fl(np.maximum(-x, 0) + fl.function("log1p", np.log1p(fl.exp(-np.abs(x)))))
    losses = fl(fl(fl(1.0 - target) * x) + softplus)
    return _reduced(fl, losses if weight is None else fl(losses * weight), reduction)
