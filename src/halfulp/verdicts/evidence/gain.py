"""Do the errors lean to one side: is every result too large, or too small, by a share of itself, or of what was added to an input?

Rounding errors have both signs, so the error's regression on the result comes to little, and to how little is known: the samples of the
noise have a regression each, which holds what their elements share. A running sum that stagnates, a result that is cut off and a factor
next to one all lean, however far each single error is within the noise.
"""

from __future__ import annotations

import math

import numpy as np

from ...cases import Case
from ...cases.effects import argument_leaves
from ...differences import Leaf
from ...differences.allowance import rms_limit
from ...noise import LeafNoise, Noise, gain_of, uses_transforms
from ...ops.deviation import SAMPLES
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding


def gain(case: Case, noise: Noise) -> Evidence | None:
    """The share of the result by which the error leans, of the output where it leans most; None where no sample of the noise is known."""
    if noise.ops.get("scan") or uses_transforms(case, "actual"):
        return None  # the errors of a running sum go along with each other, and how far is a matter of its blocks; so do a transform's
    u = case.declared.unit_roundoff
    expected = case.native("expected").by_path
    best: Evidence | None = None
    for leaf in case.native("actual").outputs:
        known, peer = noise.leaves.get(leaf.path), expected.get(leaf.path)
        if leaf.format is None or peer is None or known is None or known.shape != leaf.stored.shape:
            continue
        samples = getattr(known, "gains", None)
        if samples is None or not len(samples) or leaf.stored.size < limits.FEWEST or leaf.dtype.startswith("complex"):
            continue
        with np.errstate(invalid="ignore"):
            error = leaf.float64() - known.reference
        usable = np.isfinite(error) & np.isfinite(known.reference)
        own, other = (
            gain_of(np.where(usable, error, 0.0), known.reference),
            gain_of(_error(peer.float64(), known.reference), known.reference),
        )
        with np.errstate(over="ignore"):  # where a reference is next to nothing, its noise may be more times it than float64 holds
            spread = math.sqrt(float(np.mean(np.square(samples))))
        own_limit = abs(other) + limits.ONE_CONSTANT * u
        limit = rms_limit(max(len(samples), SAMPLES)) * spread + own_limit
        off = usable & (error != 0)
        signs = np.sign(error[off] * known.reference[off])
        # Equal sums have equal errors, which the samples draw one by one: their mean is known as badly as that of those that differ.
        repeated = signs.size / _different(known.reference[off], error[off]) if abs(own) > limit else 1.0
        limit = (limit - own_limit) * math.sqrt(repeated) + own_limit
        measured = {
            "gain_in_u": own / u,
            "limit_in_u": limit / u,
            "same_sign": int(max(np.count_nonzero(signs > 0), np.count_nonzero(signs < 0))),
            "unequal": int(signs.size),
        }
        if (lost := _lost_change(case, leaf, known, peer)) is not None:
            return lost
        if best is None or abs(own) / limit > abs(float(best.measured["gain_in_u"])) / float(best.measured["limit_in_u"]):  # type: ignore[arg-type]
            # Both signs are as frequent as heads and tails, up to `limits.SIGNS` standard deviations.
            one_sided = 2.0 * measured["same_sign"] - signs.size > limits.SIGNS * math.sqrt(signs.size * repeated)
            best = Evidence("gain", F.LEANS if abs(own) > limit and one_sided else F.RANDOM, measured=measured, path=leaf.path)
    return best


def _different(reference: np.ndarray, error: np.ndarray) -> int:
    """How many results are not one result repeated.

    Pairs are told apart by 64 bits hashed from both, which sort fifty times as fast: of n pairs, about n^2 / 2^65 fall together.
    """
    hashed = _hashed(_hashed((reference + 0.0).view(np.uint64)) ^ (error + 0.0).view(np.uint64))  # + 0.0: zeros of both signs are one
    hashed.sort()
    return 1 + int(np.count_nonzero(hashed[1:] != hashed[:-1]))


def _hashed(bits: np.ndarray) -> np.ndarray:
    """The bits of each number, mixed so that any one of them changes half of the result: as SplitMix64 does (Steele et al. 2014)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def _lost_change(case: Case, leaf: Leaf, known: LeafNoise, peer: Leaf) -> Evidence | None:
    """Whether a part of what the function adds to an input never arrives: weights whose updates are less than half a spacing."""
    for name, given in argument_leaves((case.inputs, case.keywords)).items():
        if given.format is None or given.stored.shape != leaf.stored.shape:
            continue
        share, limit = lost_share(given.float64(), leaf.float64(), peer.float64(), known)
        if share > max(limit, limits.LOST):
            measured = {"share_lost": share, "share_limit": limit, "input": name}
            return Evidence("gain", F.LEANS, measured=measured, path=leaf.path)
    return None


def lost_share(given: np.ndarray, actual: np.ndarray, expected: np.ndarray, known: LeafNoise) -> tuple[float, float]:
    """How much of the change from an input to a result `actual` has lost, and how much it may have: as shares of the change.

    The error then goes against the change, whatever the sign of the result. Independent rounding errors come to `rms_limit`
    times the root of the sum of their variances, beside what `expected` itself loses.

    Args:
        given: the input. actual, expected: results of its shape. known: the noise of the output, with its reference.

    Returns:
        Zeros where nothing changes.
    """
    with np.errstate(invalid="ignore"):
        change = known.reference - given
    change = np.where(np.isfinite(change), change, 0.0)
    size = float(np.sum(change * change))
    if not size or not math.isfinite(size):
        return 0.0, 0.0
    share, of_expected = (-float(np.sum(_error(values, known.reference) * change)) / size for values in (actual, expected))
    scatter = math.sqrt(float(np.sum(np.square(known.spread * change)))) / size
    return share, rms_limit(SAMPLES) * scatter + abs(of_expected)


def _error(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        error = values - reference
    return np.where(np.isfinite(error), error, 0.0)
