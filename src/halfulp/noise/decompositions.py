"""Ops taken apart: the textbook formula of a composite op in terms of simpler ops, so that its inner conditioning comes out of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ..cases.lifted_ops import grouped_product


def _variance(summand: torch.Tensor, dim: Any = None, *, correction: float | None = None, keepdim: bool = False) -> torch.Tensor:
    dims = list(range(summand.dim())) if dim is None or dim == [] else ([dim] if isinstance(dim, int) else list(dim))
    count = math.prod(summand.shape[axis] for axis in dims)
    centered = summand - summand.mean(dims, keepdim=True)
    degrees = max(0.0, count - (1.0 if correction is None else float(correction)))
    return (centered * centered).sum(dims, keepdim=keepdim) / degrees


def _variance_and_mean(
    summand: torch.Tensor, dim: Any = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    dims = list(range(summand.dim())) if dim is None or dim == [] else dim
    return _variance(summand, dim, correction=correction, keepdim=keepdim), summand.mean(dims, keepdim=keepdim)


def _sigmoid(x: torch.Tensor) -> torch.Tensor:
    return 1.0 / (1.0 + torch.exp(-x))


def _layer_norm(x: torch.Tensor, shape: Any, weight: Any, bias: Any, layer_eps: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    axes = list(range(x.dim() - len(shape), x.dim()))
    mean = x.mean(axes, keepdim=True)
    centered = x - mean
    scale = torch.rsqrt((centered * centered).mean(axes, keepdim=True) + layer_eps)
    y = centered * scale
    y = y * weight if weight is not None else y
    return (y + bias if bias is not None else y), mean, scale


def _batch_norm(
    x: torch.Tensor, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, _momentum: float, layer_eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """In inference a multiplication and an addition, as every engine folds it; where x is near the mean that cancels."""
    if training or mean is None:
        return NotImplemented
    shape = (-1, *(1,) * (x.dim() - 2))
    scale = torch.rsqrt(variance + layer_eps)
    scale = scale * weight if weight is not None else scale
    shift = -(mean * scale)
    shift = shift + bias if bias is not None else shift
    return x * scale.reshape(shape) + shift.reshape(shape), x.new_empty(0), x.new_empty(0)


def _softmax(x: torch.Tensor, axis: int, _half_to_float: bool = False) -> torch.Tensor:
    if not x.numel():
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(axis, keepdim=True))
    return e / e.sum(axis, keepdim=True)


def _safe_softmax(x: torch.Tensor, axis: int, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Zeros where all of x is -infinity."""
    x = x if dtype is None else x.to(dtype)
    y = _softmax(x, axis)
    return torch.where(x.amax(axis, keepdim=True) == -math.inf, 0.0, y) if x.numel() else y


def _gelu_by_tanh(x: torch.Tensor, **_: Any) -> torch.Tensor:
    inner = (x + 0.044715 * (x * x * x)) * math.sqrt(2.0 / math.pi)
    return 0.5 * x * (1.0 + torch.tanh(inner))


_OWN_FORMULAS: dict[tuple[str, str], Callable[..., Any]] = {
    # The commonest three, written out with fewer steps than the table of torch.export takes.
    ("native_layer_norm", "default"): _layer_norm,
    ("native_batch_norm", "default"): _batch_norm,
    ("_native_batch_norm_legit_no_training", "default"): lambda x, w, b, mean, var, momentum, eps: _batch_norm(
        x, w, b, mean, var, False, momentum, eps
    ),
    ("_softmax", "default"): _softmax,
    ("_safe_softmax", "default"): _safe_softmax,
    ("gelu", "default"): _gelu_by_tanh,  # the exact form has a rule
    # Only the overloads with `correction`: the others are decomposed into them.
    ("var", "correction"): _variance,
    ("std", "correction"): lambda *args, **kwargs: _variance(*args, **kwargs).sqrt(),
    ("var_mean", "correction"): _variance_and_mean,
    ("var", "default"): lambda summand, dims=None, correction=1.0, **_: _variance(summand, dims, correction=correction),
    ("sigmoid", "default"): _sigmoid,
    ("_grouped_mm", "default"): lambda *args, out_dtype=None, **kwargs: grouped_product(*args, **kwargs),  # noqa: ARG005
    ("silu", "default"): lambda x: x / (1.0 + torch.exp(-x)),
}


UNDIVIDED = frozenset(("grid_sampler_2d", "grid_sampler_3d"))
"""Ops whose textbook formula counts places in floating point: a rounding error put onto a whole number makes it the place before."""


def _either(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    """The first formula; the second where that says that it is not meant."""

    def formula(*args: Any, **kwargs: Any) -> Any:
        found = first(*args, **kwargs)
        return second(*args, **kwargs) if found is NotImplemented else found

    return formula


def _from_table(func: Any) -> Callable[..., Any] | None:
    """From the table that torch.export and torch.compile decompose with: a fifth of a second to load, and few ops need it."""
    from torch._decomp import decomposition_table  # pyright: ignore[reportPrivateUsage]

    return decomposition_table.get(func)


def decomposed(func: Any, name: str) -> Callable[..., Any] | None:
    """The textbook formula of an op in terms of simpler ops; None for an op that has none."""
    own = _OWN_FORMULAS.get((name, func._overloadname))
    if own is not None:
        table = _from_table(func) if name == "native_batch_norm" else None
        return own if table is None else _either(own, table)
    if name in UNDIVIDED:
        return lambda *_, **__: NotImplemented
    return _from_table(func)
