"""Is the error patterned: off in one channel, row or column in the mean, where rounding would average out?

The statistic is the mean of error / spread over everything but one axis. Its null distribution is that of the noise samples, so what
rounding itself shares along an axis (the mean of a normalization) is no pattern.
"""

from __future__ import annotations


import numpy as np

from ...cases import Case
from ...noise import LeafNoise, Noise, noise_of
from ...noise.noise import profile, scaled_error
from .. import limits
from ..verdict import Verdict
from .evidence import Evidence

V = Verdict
FEWEST = 16
"""Means over fewer elements than this average nothing out."""
SHARED = 0.5
"""How much of an honest error may be shared by all elements, in units of the noise: library functions err on one side (a polynomial's error is
a function, not a random number), constants are rounded once for all. Measured in section "patterns" of the calibration."""


def patterns(case: Case) -> Evidence | None:
    """The axis and index at which the mean error stands out most; None without a floating-point output that has enough elements."""
    noise = noise_of(case, profiles=True)
    best: Evidence | None = None
    for leaf in case.native("actual").outputs:
        spread = noise.leaves.get(leaf.path)
        if leaf.format is None or spread is None or spread.reference.shape != leaf.stored.shape or not spread.profiles:
            continue
        found = _strongest(leaf.numbers().astype(np.float64), spread, noise)
        if found is not None and (best is None or float(found.measured["excess"]) > float(best.measured["excess"])):  # type: ignore[arg-type]
            best = found
    return best


def _strongest(values: np.ndarray, spread: LeafNoise, noise: Noise) -> Evidence | None:
    scaled = scaled_error(values - spread.reference, spread.spread)
    best: Evidence | None = None
    total = sum(values.shape)
    for axis, samples in spread.profiles.items():
        if values.size // values.shape[axis] < FEWEST:
            continue
        means = profile(scaled, axis)
        deviation = np.sqrt(np.mean(np.square(samples), axis=0)) + SHARED / limits.max_limit(noise.count, total)
        in_deviations = np.abs(means) / np.maximum(deviation, 1e-300)
        index = int(np.argmax(in_deviations))
        amount = float(in_deviations[index]) / limits.max_limit(noise.count, total)
        if best is None or amount > float(best.measured["excess"]):  # type: ignore[arg-type]
            finding = "patterned" if amount > 1.0 else "random"
            measured = {
                "axis": axis,
                "index": index,
                "mean_in_noise": float(means[index]),
                "excess": amount,
                "elements": values.size // values.shape[axis],
            }
            speaks = (V.MISTAKE, V.REDUCED_PRECISION) if finding == "patterned" else tuple(V)
            best = Evidence("patterns", finding, speaks, {**measured}, spread.path)
    return best
