"""The one loop over memory that gathers everything a Difference reports.

Elements are taken in blocks that stay in the first-level cache, so memory is read once however many loops run over a
block; each inner loop is simple enough to become vector instructions. Compiled by numba for two pairs of types
(float32 with its 32 bits, float64 with its 64) and kept on disk. `by_numpy` gathers the same of small tensors.
"""

from __future__ import annotations

# pyright: basic, reportUntypedFunctionDecorator=false
import math

import numpy as np

from ..compiled import kernel
from .totals import (
    AGAINST_ZERO,
    COMPARED,
    INF_ACTUAL,
    INF_BOTH,
    INF_REFERENCE,
    INF_SIGN,
    MAX_ABS,
    MAX_REL,
    NAN_ACTUAL,
    NAN_BOTH,
    NAN_REFERENCE,
    OFFSET,
    SHIFT,
    SIGNED_ZEROS,
    SUM_ABS,
    SUM_ACTUAL,
    SUM_REFERENCE,
    SUM_SIGNED,
    SUM_SQUARED,
    UNEQUAL,
)  # fmt: skip

BLOCK = 4096

LARGEST = np.finfo(np.float64).max

# What lets sums become vector instructions. NaN and infinities keep their meaning: they are how a block with specials is noticed.
_REASSOCIATE = {"reassoc", "contract", "nsz"}


@kernel(nogil=True, error_model="numpy", fastmath=_REASSOCIATE)
def _block_sums(actual, reference, block, abs_threshold, rel_threshold):
    """The sums of one block into `block`; returns how many elements exceed a threshold.

    Relative differences are compared as |difference| > threshold |reference|: a division would cost more than all else here.
    A difference against a zero reference always exceeds.
    """
    sum_abs = 0.0
    sum_squared = 0.0
    sum_signed = 0.0
    sum_reference = 0.0
    sum_actual = 0.0
    above = 0
    for i in range(len(actual)):
        x = np.float64(actual[i])
        y = np.float64(reference[i])
        signed = x - y
        magnitude = abs(signed)
        sum_signed += signed
        sum_abs += magnitude
        sum_squared += signed * signed
        sum_reference += y * y
        sum_actual += x * x
        above += 1 if (magnitude > abs_threshold) | (magnitude > rel_threshold * abs(y)) else 0
    block[SUM_ABS] = sum_abs
    block[SUM_SQUARED] = sum_squared
    block[SUM_SIGNED] = sum_signed
    block[SUM_REFERENCE] = sum_reference
    block[SUM_ACTUAL] = sum_actual
    return above


@kernel(nogil=True, error_model="numpy")
def _keep_worst(scores, places, score, place):
    """Insert into a list of scores in falling order; the earlier place wins a tie."""
    last = scores.shape[0] - 1
    if not score > scores[last]:
        return
    i = last
    while i > 0 and score > scores[i - 1]:
        scores[i] = scores[i - 1]
        places[i] = places[i - 1]
        i -= 1
    scores[i] = score
    places[i] = place


@kernel(nogil=True, error_model="numpy")
def _scan(actual, reference, steps, start, sums, counts, scores, places):
    """Look at each element of a block that may hold a new maximum: exact maxima, the worst elements, differences against zero."""
    for i in range(len(actual)):
        if steps[i] == 0:
            continue
        size = abs(np.float64(reference[i]))
        magnitude = abs(np.float64(actual[i]) - np.float64(reference[i]))
        sums[MAX_ABS] = max(sums[MAX_ABS], magnitude)
        if size > 0.0:
            sums[MAX_REL] = max(sums[MAX_REL], magnitude / size)
        else:
            counts[AGAINST_ZERO] += 1
        if scores.shape[1] > 0:
            _keep_worst(scores[0], places[0], magnitude, start + i)
            _keep_worst(scores[1], places[1], magnitude / size, start + i)
            _keep_worst(scores[2], places[2], np.float64(steps[i]), start + i)


@kernel(nogil=True, error_model="numpy")
def _block_distances(actual_bits, reference_bits, sign_magnitude, lowest, steps, as_float):
    """Distances into `steps` (unsigned), their float32 values into `as_float`; returns unequal, sign mismatches, maximum."""
    unequal = 0
    opposite = 0
    largest = steps[0] ^ steps[0]
    for i in range(actual_bits.shape[0]):
        p = actual_bits[i]
        q = reference_bits[i]
        if sign_magnitude:
            opposite += 1 if (p ^ q) < 0 else 0
            p = p if p >= 0 else lowest - p
            q = q if q >= 0 else lowest - q
        high = max(p, q)
        low = min(p, q)
        # Unsigned, because the signed difference of two float64 indices can overflow; storing cuts it to the width of `steps`.
        steps[i] = np.uint64(high) - np.uint64(low)
        step = steps[i]
        as_float[i] = np.float32(step)
        largest = max(largest, step)
        unequal += 1 if step != 0 else 0
    return unequal, opposite, largest


@kernel(nogil=True)
def _block_histogram(float_bits, count, histogram):
    for i in range(count):
        bits = float_bits[i]
        place = (bits >> SHIFT) - OFFSET
        histogram[i & 3, max(place, 0)] += 1


@kernel(nogil=True, error_model="numpy")
def _all_finite(actual, reference):
    bad = 0
    for i in range(actual.shape[0]):
        x = actual[i]
        y = reference[i]
        bad += 0 if ((x - x) == 0 and (y - y) == 0) else 1
    return bad == 0


@kernel(nogil=True, error_model="numpy")
def _set_aside_specials(actual, reference, actual_bits, reference_bits, counts):
    """Count NaN and infinities by kind and replace both sides of such a pair by zero; returns how many pairs."""
    aside = 0
    for i in range(actual.shape[0]):
        x = actual[i]
        y = reference[i]
        if (x - x) == 0 and (y - y) == 0:
            continue
        aside += 1
        if math.isnan(x) or math.isnan(y):
            if math.isnan(x) and math.isnan(y):
                counts[NAN_BOTH] += 1
            elif math.isnan(x):
                counts[NAN_ACTUAL] += 1
            else:
                counts[NAN_REFERENCE] += 1
        elif math.isinf(x) and math.isinf(y):
            counts[INF_BOTH if x == y else INF_SIGN] += 1
        elif math.isinf(x):
            counts[INF_ACTUAL] += 1
        else:
            counts[INF_REFERENCE] += 1
        actual[i] = 0
        reference[i] = 0
        actual_bits[i] = 0
        reference_bits[i] = 0
    return aside


@kernel(nogil=True, error_model="numpy")
def gather(
    actual, reference, actual_bits, reference_bits, sign_magnitude, lowest, offset,
    sums, counts, histogram, scores, places, steps, as_float, float_bits, spare, spare_bits,
):  # fmt: skip
    """Add one chunk to the running rows; returns the largest distance in ulps.

    Args:
        actual, reference: one-dimensional float32 or float64.
        actual_bits, reference_bits: integers of the same width whose order is the order of the numbers: the bits
            themselves (sign and magnitude) or indices.
        sign_magnitude: whether they are sign and magnitude. lowest: the smallest integer of that width.
        offset: the index of the first element in the whole tensor.
        sums, counts, histogram: running totals. scores, places: the worst elements by absolute, relative, ulps.
        steps, as_float, float_bits, spare, spare_bits: scratch of BLOCK elements; float_bits is as_float's memory.
    """
    maximum = steps[0] ^ steps[0]
    block = np.zeros(7)
    last = scores.shape[1] - 1
    for start in range(0, actual.shape[0], BLOCK):
        stop = min(start + BLOCK, actual.shape[0])
        length = stop - start
        x = actual[start:stop]
        y = reference[start:stop]
        p = actual_bits[start:stop]
        q = reference_bits[start:stop]
        # A maximum is at least as large as the last of the worst elements that are kept.
        abs_threshold = max(scores[0, last], 0.0) if last >= 0 else sums[MAX_ABS]
        rel_threshold = max(scores[1, last], 0.0) if last >= 0 else sums[MAX_REL]
        # The worst may all be infinite (against zero); the maximum is that of the others. Infinity times zero would hide a difference.
        rel_threshold = min(rel_threshold, sums[MAX_REL], LARGEST)
        ulps_threshold = scores[2, last] if last >= 0 else np.inf
        above = _block_sums(x, y, block, abs_threshold, rel_threshold)
        aside = 0
        if not math.isfinite(block[SUM_REFERENCE] + block[SUM_ACTUAL]) and not _all_finite(x, y):
            spare[0, :length] = x
            spare[1, :length] = y
            spare_bits[0, :length] = p
            spare_bits[1, :length] = q
            x = spare[0, :length]
            y = spare[1, :length]
            p = spare_bits[0, :length]
            q = spare_bits[1, :length]
            aside = _set_aside_specials(x, y, p, q, counts)
            above = _block_sums(x, y, block, abs_threshold, rel_threshold)
        for i in range(MAX_ABS):
            sums[i] += block[i]
        unequal, opposite, largest = _block_distances(p, q, sign_magnitude, lowest, steps[:length], as_float)
        counts[COMPARED] += length - aside
        counts[UNEQUAL] += unequal
        maximum = max(maximum, largest)
        if largest == 0:
            histogram[0, 0] += length - aside
        else:
            _block_histogram(float_bits, length, histogram)
            histogram[0, 0] -= aside
        if opposite > 0:
            for i in range(length):
                counts[SIGNED_ZEROS] += 1 if ((p[i] ^ q[i]) < 0 and steps[i] == 0) else 0
        if above > 0 or np.float64(largest) > ulps_threshold:
            _scan(x, y, steps, offset + start, sums, counts, scores, places)
    return maximum
