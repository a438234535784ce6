"""Scaled dot-product attention, as fused kernels are called: softmax(q k^T scale + mask) v, and its gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import bounded
from ..arithmetic import Array, Exact
from .normalizations import softmax_backward, softmax_of
from .table import formula


def _repeated(x: Array, heads: int) -> Array:
    """Keys and values that several heads of queries share."""
    return x if x.ndim < 3 or x.shape[-3] == heads else np.repeat(x, heads // x.shape[-3], axis=-3)


def _probabilities(fl: Exact, q: Array, k: Array, mask: Array | None, causal: bool, scale: float | None) -> tuple[Array, float]:
    factor = 1.0 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = fl(fl.dot(q, np.swapaxes(k, -1, -2)) * factor)
    if causal:
        scores = np.where(np.tril(bounded.ones(scores.shape[-2:], dtype=bool)), scores, -math.inf)
    if mask is not None:
        scores = np.where(mask, scores, -math.inf) if mask.dtype == bool else fl(scores + mask)
    return softmax_of(fl, scores, -1), factor


@formula("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_flash_attention", "_scaled_dot_product_cudnn_attention")
def flash_attention(
    fl: Exact, q: Array, k: Array, v: Array, dropout: float = 0.0, causal: bool = False, *_: Any, attn_mask: Array | None = None,
    scale: float | None = None,
) -> tuple[Array | None, ...] | None:  # fmt: skip
    if dropout:
        return None  # drawn at random
    heads = q.shape[-3]
    p = _probabilities(fl, q, _repeated(k, heads), attn_mask, causal, scale)[0]
    return fl.dot(p, _repeated(v, heads)), None


@formula("_scaled_dot_product_efficient_attention")
def efficient_attention(
    fl: Exact, q: Array, k: Array, v: Array, mask: Array | None, _log: bool, dropout: float = 0.0, causal: bool = False, *,
    scale: float | None = None,
) -> tuple[Array | None, ...] | None:  # fmt: skip
    return flash_attention(fl, q, k, v, dropout, causal, attn_mask=mask, scale=scale)


@formula("_scaled_dot_product_attention_math", "_scaled_dot_product_attention_math_for_mps")
def attention_math(
    fl: Exact, q: Array, k: Array, v: Array, mask: Array | None = None, dropout: float = 0.0, causal: bool = False, *_: Any,
    scale: float | None = None, **__: Any,
) -> tuple[Array, Array] | None:  # fmt: skip
    if dropout:
        return None
    heads = q.shape[-3]
    p = _probabilities(fl, q, _repeated(k, heads), mask, causal, scale)[0]
    return fl.dot(p, _repeated(v, heads)), p


@formula("_scaled_dot_product_flash_attention_for_cpu_backward")
def flash_attention_backward(
    fl: Exact, grad: Array, q: Array, k: Array, v: Array, out: Array, _log: Array, dropout: float, causal: bool, *,
    attn_mask: Array | None = None, scale: float | None = None,
) -> tuple[Array, ...]:  # fmt: skip
    heads = q.shape[-3]
    keys, values = _repeated(k, heads), _repeated(v, heads)
    p, factor = _probabilities(fl, q, keys, attn_mask, causal, scale)
    to_v = fl.dot(np.swapaxes(p, -1, -2), grad)
    to_scores = fl(factor * softmax_backward(fl, fl.dot(grad, np.swapaxes(values, -1, -2)), p, -1))
    to_q = fl.dot(to_scores, keys)
    to_k = fl.dot(np.swapaxes(to_scores, -1, -2), q)
    return to_q, _summed(fl, to_k, k), _summed(fl, to_v, v)


def _summed(fl: Exact, grad: Array, like: Array) -> Array:
    if grad.shape == like.shape:
        return grad
    shared = like.shape[-3]
    return fl.sum(grad.reshape(*grad.shape[:-3], shared, grad.shape[-3] // shared, *grad.shape[-2:]), -3)
