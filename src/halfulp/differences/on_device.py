"""The same measures as `kernels`, computed by PyTorch where the tensors lie: only totals and the worst elements come to the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from . import totals as k

CHUNK = 1 << 22
"""Elements at a time: enough work to fill any device, and temporaries of a few hundred megabytes."""

Totals = tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]", "np.ndarray[Any, Any]", "np.ndarray[Any, Any]", "np.ndarray[Any, Any]", int]

_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def gather(actual: torch.Tensor, reference: torch.Tensor, offset: int, worst: int) -> Totals:
    """The totals of one chunk: sums, counts, histogram, scores, places, and the largest distance in ulps.

    Args:
        actual, reference: one-dimensional, of one dtype, on one device that computes in float64.
        offset: the index of the first element in the whole tensor. worst: how many of the worst elements are kept.
    """
    x, y = actual.double(), reference.double()
    counts = torch.zeros(11, dtype=torch.int64, device=x.device)
    p, q = _ordinals(actual), _ordinals(reference)
    zeros = (x == 0) & (y == 0) & (torch.signbit(x) != torch.signbit(y))
    finite = torch.isfinite(x) & torch.isfinite(y)
    if actual.is_floating_point():
        _count_specials(x, y, counts)
        nothing = torch.zeros((), dtype=x.dtype, device=x.device)
        x, y = torch.where(finite, x, nothing), torch.where(finite, y, nothing)
        p = torch.where(finite, p, torch.zeros_like(p))
        q = torch.where(finite, q, torch.zeros_like(q))
    steps = torch.maximum(p, q) - torch.minimum(p, q)  # wraps where two float64 are further apart than int64 reaches: unsigned then
    counts[k.COMPARED] = finite.sum()
    counts[k.UNEQUAL] = (steps != 0).sum()
    counts[k.SIGNED_ZEROS] = zeros.sum()
    signed = x - y
    size, unequal = y.abs(), steps != 0
    apart = signed.abs()
    relative = torch.where(unequal, apart / size, torch.zeros_like(apart))
    counts[k.AGAINST_ZERO] = (unequal & (size == 0)).sum()
    sums = torch.stack([
        apart.sum(), signed.square().sum(), signed.sum(), y.square().sum(), x.square().sum(),
        torch.where(unequal, apart, torch.zeros_like(apart)).amax(), torch.where(size == 0, torch.zeros_like(relative), relative).amax(),
    ])  # fmt: skip
    distance = torch.where(steps < 0, steps.double() + 2.0**64, steps.double())
    counted, largest = counts.cpu().numpy(), int((steps ^ torch.iinfo(torch.int64).min).amax())
    histogram = np.zeros((4, k.HISTOGRAM_BINS), np.int64)
    histogram[0] = _histogram(distance).cpu().numpy()
    histogram[0, 0] -= len(actual) - int(counted[k.COMPARED])
    scores, places = np.full((3, worst), -1.0), np.zeros((3, worst), np.int64)
    for row, score in enumerate((apart, relative, distance)):
        values, found = _worst(torch.where(unequal, score, torch.full_like(score, -1.0)), worst)
        scores[row, : len(values)], places[row, : len(values)] = values, found + offset
    return sums.cpu().numpy(), counted, histogram, scores, places, largest + (1 << 63)


def _ordinals(tensor: torch.Tensor) -> torch.Tensor:
    """Integers in the order of the numbers, a step for each neighbor, as int64."""
    if not tensor.is_floating_point():
        return tensor.to(torch.int64)
    bits = tensor.view(_INTEGERS[tensor.element_size()]).to(torch.int64)
    lowest = -(1 << (8 * tensor.element_size() - 1))
    return torch.where(bits >= 0, bits, lowest - bits)


def _count_specials(x: torch.Tensor, y: torch.Tensor, counts: torch.Tensor) -> None:
    nan = torch.isnan(x), torch.isnan(y)
    numbers = ~(nan[0] | nan[1])
    infinite = torch.isinf(x) & numbers, torch.isinf(y) & numbers
    both = infinite[0] & infinite[1]
    found = {
        k.NAN_BOTH: nan[0] & nan[1],
        k.NAN_ACTUAL: nan[0] & ~nan[1],
        k.NAN_REFERENCE: nan[1] & ~nan[0],
        k.INF_BOTH: both & (x == y),
        k.INF_SIGN: both & (x != y),
        k.INF_ACTUAL: infinite[0] & ~infinite[1],
        k.INF_REFERENCE: infinite[1] & ~infinite[0],
    }
    for place, mask in found.items():
        counts[place] = mask.sum()


def _histogram(distance: torch.Tensor) -> torch.Tensor:
    """How many distances fall into each bin: the leading bits of their float32 say which."""
    octaves = distance.float().view(torch.int32) >> k.SHIFT
    return torch.bincount((octaves - k.OFFSET).clamp_min(0), minlength=k.HISTOGRAM_BINS)


def _worst(scores: torch.Tensor, count: int) -> tuple[Any, Any]:
    """The highest scores in falling order and their places; the earlier place wins a tie."""
    if not count:
        return [], np.zeros(0, np.int64)
    least = torch.topk(scores, min(count, len(scores))).values[-1]
    above = torch.nonzero(scores > least).flatten()
    places = torch.cat([above, torch.nonzero(scores == least).flatten()[: count - len(above)]])
    values = scores[places].cpu().numpy()
    order = np.argsort(-values, kind="stable")
    return values[order], places.cpu().numpy()[order]
