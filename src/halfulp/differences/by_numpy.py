"""The same measures as `kernels`, by NumPy: for tensors so small that loading a compiled loop takes longer.

Counts, maxima, the histogram and the worst elements are the same; the sums are float64's in another order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..floats import widen
from . import totals as t
from .totals import Totals

Array = npt.NDArray[Any]

SECONDS_AN_ELEMENT = 40e-9
"""What `gather` takes for large arrays; `python -m benchmarks.start_up` prints it (`numpy_comparison`)."""

CHUNK = 1 << 16
"""Elements at a time: the dozen temporaries in float64, half a megabyte each, stay in the last-level cache."""


def gather(
    actual: Array, reference: Array, actual_bits: Array, reference_bits: Array, *, sign_magnitude: bool, offset: int, worst: int
) -> Totals:
    """The totals of one chunk. The arguments are those of `kernels.gather`."""
    totals, sums, counts = Totals(worst), np.zeros(7), np.zeros(11, np.int64)
    x, y = widen(actual), widen(reference)
    p, q = actual_bits, reference_bits
    with np.errstate(all="ignore"):
        finite = np.isfinite(x) & np.isfinite(y)
        compared = int(np.count_nonzero(finite))
        if compared < len(x):
            _count_specials(x, y, counts)
            x, y, p, q = (np.where(finite, values, values.dtype.type(0)) for values in (x, y, p, q))
        steps = _distances(p, q, sign_magnitude=sign_magnitude)
        signed = x - y
        apart, size, unequal = np.abs(signed), np.abs(y), steps != 0
        relative = apart / size
        sums[: t.MAX_ABS] = apart.sum(), np.square(signed).sum(), signed.sum(), np.square(y).sum(), np.square(x).sum()
        counts[t.COMPARED], counts[t.UNEQUAL] = compared, np.count_nonzero(unequal)
        if sign_magnitude:
            counts[t.SIGNED_ZEROS] = np.count_nonzero(((p ^ q) < 0) & ~unequal)
        totals.sums, totals.counts = sums, counts
        if not counts[t.UNEQUAL]:
            totals.histogram[0, 0] = compared
            return totals
        distances = steps.astype(np.float64)
        sums[t.MAX_ABS] = np.max(apart, where=unequal, initial=0.0)
        sums[t.MAX_REL] = np.max(relative, where=unequal & (size > 0), initial=0.0)
        counts[t.AGAINST_ZERO] = np.count_nonzero(unequal & (size == 0))
        totals.max_ulps = int(steps.max())
        octaves = (steps.astype(np.float32).view(np.int32) >> t.SHIFT) - t.OFFSET
        totals.histogram[0] = np.bincount(np.maximum(octaves, 0), minlength=t.HISTOGRAM_BINS)
        totals.histogram[0, 0] -= len(x) - compared
        for row, score in enumerate((apart, relative, distances)):
            places = _worst(np.where(unequal & (score >= 0), score, -1.0), worst)  # 0 / 0 is no score
            totals.scores[row, : len(places)] = score[places]
            totals.places[row, : len(places)] = places + offset
    return totals


def _distances(p: Array, q: Array, *, sign_magnitude: bool) -> Array:
    """The steps between numbers whose bits, or whose indices, these are. Unsigned: two float64 can be further apart than int64 reaches."""
    if sign_magnitude:
        lowest = p.dtype.type(np.iinfo(p.dtype).min)
        p, q = (np.where(bits >= 0, bits, lowest - bits) for bits in (p, q))
    unsigned = f"u{p.itemsize}"
    return np.maximum(p, q).view(unsigned) - np.minimum(p, q).view(unsigned)


def _count_specials(x: Array, y: Array, counts: Array) -> None:
    nan = np.isnan(x), np.isnan(y)
    numbers = ~(nan[0] | nan[1])
    infinite = np.isinf(x) & numbers, np.isinf(y) & numbers
    both = infinite[0] & infinite[1]
    masks = {
        t.NAN_BOTH: nan[0] & nan[1],
        t.NAN_ACTUAL: nan[0] & ~nan[1],
        t.NAN_REFERENCE: nan[1] & ~nan[0],
        t.INF_BOTH: both & (x == y),
        t.INF_SIGN: both & (x != y),
        t.INF_ACTUAL: infinite[0] & ~infinite[1],
        t.INF_REFERENCE: infinite[1] & ~infinite[0],
    }
    for place, mask in masks.items():
        counts[place] = np.count_nonzero(mask)


def _worst(scores: Array, count: int) -> npt.NDArray[np.int64]:
    """The places of the highest scores that are no -1, in falling order; the earlier place wins a tie."""
    if not count:
        return np.zeros(0, np.int64)
    least = np.partition(scores, max(len(scores) - count, 0))[max(len(scores) - count, 0)]
    above = np.flatnonzero(scores > max(least, -1.0))
    ties = np.flatnonzero(scores == least)[: count - len(above)] if least >= 0 else above[:0]
    places = np.concatenate([above, ties])
    return places[np.argsort(-scores[places], kind="stable")]
