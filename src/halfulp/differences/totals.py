"""Totals: the running rows of one chunk or of a whole tensor, whoever gathers them: the compiled loop, NumPy, or PyTorch on a device."""

from __future__ import annotations

import numpy as np

HISTOGRAM_STEPS = 128  # bins per octave: a distance is known exactly up to 255, and to 1/128 of itself beyond
HISTOGRAM_BINS = 64 * HISTOGRAM_STEPS + 2
SHIFT = 16  # float32 keeps 23 fraction bits; 7 of them, log2(HISTOGRAM_STEPS), survive the shift
OFFSET = (127 << 7) - 1

# places in the row of sums
SUM_ABS, SUM_SQUARED, SUM_SIGNED, SUM_REFERENCE, SUM_ACTUAL, MAX_ABS, MAX_REL = range(7)
# places in the row of counts
(
    COMPARED, UNEQUAL, AGAINST_ZERO, SIGNED_ZEROS, NAN_ACTUAL, NAN_REFERENCE, NAN_BOTH, INF_ACTUAL, INF_REFERENCE,
    INF_BOTH, INF_SIGN,
) = range(11)  # fmt: skip


class Totals:
    """Sums, counts, the histogram of distances, the worst elements by absolute difference, relative difference and ulps.

    Args:
        worst: how many of the worst elements are kept.
    """

    def __init__(self, worst: int) -> None:
        self.sums = np.zeros(7)
        self.counts = np.zeros(11, dtype=np.int64)
        self.histogram = np.zeros((4, HISTOGRAM_BINS), dtype=np.int64)
        self.scores = np.full((3, worst), -1.0)
        self.places = np.zeros((3, worst), dtype=np.int64)
        self.max_ulps = 0

    def add(self, other: Totals) -> None:
        """Take in the totals of a later chunk."""
        maxima = [MAX_ABS, MAX_REL]
        largest = np.maximum(self.sums[maxima], other.sums[maxima])
        self.sums += other.sums
        self.sums[maxima] = largest
        self.counts += other.counts
        self.histogram += other.histogram
        self.max_ulps = max(self.max_ulps, other.max_ulps)
        for row in range(3):
            scores = np.concatenate([self.scores[row], other.scores[row]])
            places = np.concatenate([self.places[row], other.places[row]])
            order = np.argsort(-scores, kind="stable")[: self.scores.shape[1]]
            self.scores[row], self.places[row] = scores[order], places[order]
