"""Do the errors lean to one side: is every result too large, or too small, by a share of itself?

Rounding errors have both signs, so the error's regression on the result comes to little, and to how little is known: the samples of the
noise have a regression each, which holds what their elements share. A running sum that stagnates, a result that is cut off and a factor
next to one all lean, however far each single error is within the noise.
"""

from __future__ import annotations

import math

import numpy as np

from ...cases import Case
from ...differences.allowance import rms_limit
from ...noise import Noise, gain_of
from .evidence import Evidence
from .finding import Finding
from .redraw import FEWEST, ONE_CONSTANT

F = Finding


def gain(case: Case, noise: Noise) -> Evidence | None:
    """The share of the result by which the error leans, of the output where it leans most; None where no sample of the noise is known."""
    if noise.ops.get("scan"):
        return None  # the errors of a running sum go along with each other, and how far is a matter of its blocks
    u = case.declared.unit_roundoff
    expected = case.native("expected").by_path
    best: Evidence | None = None
    for leaf in case.native("actual").outputs:
        known, peer = noise.leaves.get(leaf.path), expected.get(leaf.path)
        if leaf.format is None or peer is None or known is None or known.shape != leaf.stored.shape:
            continue
        samples = getattr(known, "gains", None)
        if samples is None or not len(samples) or leaf.stored.size < FEWEST or leaf.dtype.startswith("complex"):
            continue
        with np.errstate(invalid="ignore"):
            error = leaf.float64() - known.reference
        usable = np.isfinite(error) & np.isfinite(known.reference)
        own, other = (
            gain_of(np.where(usable, error, 0.0), known.reference),
            gain_of(_error(peer.float64(), known.reference), known.reference),
        )
        limit = rms_limit(len(samples)) * math.sqrt(float(np.mean(np.square(samples)))) + abs(other) + ONE_CONSTANT * u
        signs = np.sign(error[usable & (error != 0)] * known.reference[usable & (error != 0)])
        measured = {
            "gain_in_u": own / u,
            "limit_in_u": limit / u,
            "same_sign": int(max(np.count_nonzero(signs > 0), np.count_nonzero(signs < 0))),
            "unequal": int(signs.size),
        }
        if best is None or abs(own) / limit > abs(float(best.measured["gain_in_u"])) / float(best.measured["limit_in_u"]):  # type: ignore[arg-type]
            best = Evidence("gain", F.LEANS if abs(own) > limit else F.RANDOM, measured=measured, path=leaf.path)
    return best


def _error(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        error = values - reference
    return np.where(np.isfinite(error), error, 0.0)
