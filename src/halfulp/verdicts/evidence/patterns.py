"""Is the error patterned: off in one channel, row or column in the mean, where rounding would average out?

The statistic is the mean of error / spread over everything but one axis. Its null distribution is that of the noise samples, so what
rounding itself shares along an axis (the mean of a normalization) is no pattern.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from ...cases import Case, Change, Inputs, Run, Variant
from ...differences.allowance import max_limit
from ...noise import DATA, LeafNoise, Noise, noise_of
from ...noise.noise import profile, scaled_error
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding
SHARED = 0.5
"""How much of an honest error may be shared by all elements, in units of the noise: library functions err on one side (a polynomial's
error is a function, not a random number), constants are rounded once for all."""
PATTERNED = 4.0
"""How many limits a mean has to lie out: honest orders and libraries reach 1.8 (the largest of 380 honest pairs, gathered by
`check(..., full=True)`); twice that, rounded up to a power of two."""
POOLED = 16
"""At most this many indices of an axis lend each other their samples: neighbors are alike, a whole axis need not be."""
CLIPPED = 5.0
"""Single elements count with at most five spreads: they are the business of the noise, and one must not make a pattern."""
STAYS = 0.5
"""The same mean has to stand out by at least half as much, and on the same side, each time that the inputs are moved slightly."""


def patterns(case: Case, noise: Noise, sampled: Noise | None = None) -> Evidence | None:
    """The axis and index at which the mean error stands out most; None without a floating-point output that has enough elements.

    Args:
        noise: that of the case, errors of `expected` included: what `expected` itself does is no pattern of `actual`.
        sampled: without them; it is sampled again where means along axes were not kept.
    """
    if sampled is None or not any(leaf.profiles for leaf in sampled.leaves.values()):
        sampled = noise_of(case, profiles=True, rounds=DATA)
    best: Evidence | None = None
    for leaf in case.native("actual").outputs:
        known, spread = sampled.leaves.get(leaf.path), noise.leaves.get(leaf.path)
        if leaf.format is None or known is None or spread is None or known.reference.shape != leaf.stored.shape:
            continue
        with np.errstate(invalid="ignore"):
            error = leaf.float64() - known.reference
        found = _strongest(_scaled(error, spread), known, sampled.count)
        if found is not None and (best is None or _excess(found) > _excess(best)):
            best = found
    # Of a stored result it can't be seen whether it stays: the judge knows.
    if best is not None and best.finding == F.PATTERNED and not case.stored and not _stays(case, noise, best):
        return dataclasses.replace(best, finding=F.RANDOM, speaks_for=())
    return best


def _excess(evidence: Evidence) -> float:
    return float(evidence.measured["excess"])  # type: ignore[arg-type]


def _scaled(error: np.ndarray, spread: LeafNoise) -> np.ndarray:
    return np.clip(scaled_error(error, spread.spread), -CLIPPED, CLIPPED)


def _strongest(scaled: np.ndarray, known: LeafNoise, count: int) -> Evidence | None:
    best: Evidence | None = None
    for axis, means, band in bands_of(scaled, known, count):
        elements = scaled.size // max(1, scaled.shape[axis])
        if elements < limits.FEWEST:
            continue
        amounts = np.abs(means) / band
        index = int(np.argmax(amounts))
        amount = float(amounts[index])
        if best is None or amount > _excess(best):
            finding = F.PATTERNED if amount > PATTERNED else F.RANDOM
            measured = {"axis": axis, "index": index, "mean_in_noise": float(means[index]), "excess": amount, "elements": elements}
            best = Evidence("patterns", finding, measured=measured, path=known.path)
    return best


def bands_of(scaled: np.ndarray, known: LeafNoise, count: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """(axis, the mean of the scaled error at each index, how large rounding makes it there) of each axis."""
    for axis, samples in known.profiles.items():
        own = np.sqrt(np.mean(np.square(samples), axis=0))
        typical = float(np.sqrt(np.mean(np.square(samples))))
        limit = max_limit(count * min(POOLED, len(own)), sum(scaled.shape))
        yield axis, profile(scaled, axis), (np.maximum(own, typical) + SHARED / limit) * limit


def _stays(case: Case, noise: Noise, found: Evidence) -> bool:
    """Whether the mean stands out again each time the inputs are moved slightly."""
    axis, index, mean = int(found.measured["axis"]), int(found.measured["index"]), float(found.measured["mean_in_noise"])  # type: ignore[arg-type]
    for repetition in range(limits.REPETITIONS):
        inputs = Inputs(Change.MOVED, repetition)
        runs = case.run("actual", Variant(inputs=inputs)), case.run("expected", Variant(case.finest, inputs))
        values: list[np.ndarray] = []
        for run in runs:
            if isinstance(run, Run):
                values += [run.by_path[found.path].float64()] if found.path in run.by_path else []
        if len(values) != len(runs) or values[0].shape != values[1].shape:
            return False
        again = float(profile(_scaled(values[0] - values[1], noise.leaves[found.path]), axis)[index])
        if again / mean < STAYS:
            return False
    return True
