"""Does `actual` lose other digits than `expected` does, no more of them, where rounding the data alone moves the result as far?

Two good formulas of one function cancel at different elements. The noise is sampled from the ops of one of them, so the other's errors
stand out where it alone cancels. They are honest where a rounding of the inputs does as much (a mixed stable algorithm: Higham, Accuracy
and Stability, 2nd ed., section 1.5), and as long as they are small over all.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from ...cases import Case
from ...noise import LeafNoise, Noise, noise_of_inputs, noise_of_side, residual_of
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding
FloatArray = npt.NDArray[np.float64]


def conditioning(case: Case, noise: Noise) -> Evidence | None:
    """The error in units of both roundings, of the ops and of the inputs; None where the inputs can't be moved in float64."""
    moved = noise_of_inputs(case)
    if moved is None:
        return None
    worst, norm, path = 0.0, 0.0, ""
    for leaf in case.native("actual").outputs:
        known, other = noise.leaves.get(leaf.path), moved.leaves.get(leaf.path)
        if leaf.format is None or known is None or other is None or known.shape != leaf.stored.shape:
            continue
        both = dataclasses.replace(known, spread=np.hypot(known.spread, other.spread))
        residual = residual_of(leaf.float64(), both)
        if residual.count and residual.excess(noise.count).of_limit > worst:
            worst, path = residual.excess(noise.count).of_limit, leaf.path
        norm = max(norm, residual_of(leaf.float64(), known).norm_in_noise)
    measured = {"excess": worst, "norm_in_noise": norm}
    return Evidence("conditioning", F.WITHIN if worst <= 1.0 else F.BEYOND, measured=measured, path=path)


def forward_error(case: Case, noise: Noise) -> Evidence | None:
    """The error in units of what one rounding of each input and of the result makes, which is all that a stable algorithm adds per op.

    Where `expected` computes in more than 16 bits inside, the noise of its ops in 16 bits is no measure of what it loses: an angle times
    a position of 300, or a sum that is kept in 16 bits, is amplified there as well.

    Returns:
        None where the inputs can't be moved in float64.

    Numerics:
        The forward error of a backward stable algorithm is a modest multiple of the condition number times the unit roundoff (Higham,
        Accuracy and Stability, 2nd ed., section 1.6). The multiple here: the root of the number of ops of `expected`, of which each rounds
        once and none amplifies, and `limits.AMPLIFIED`.
    """
    moved = noise_of_inputs(case)
    if moved is None or (set(noise.ops) == {"product"} and sum(noise.ops.values()) == 1):
        return None  # what a fast product loses by itself is measured in norm
    limit = limits.AMPLIFIED + math.sqrt(sum(noise.ops.values()))
    expected = case.native("expected").by_path
    worst: Evidence | None = None
    for leaf in case.native("actual").outputs:
        known, peer = moved.leaves.get(leaf.path), expected.get(leaf.path)
        if leaf.format is None or known is None or peer is None or not known.shape == peer.shape == leaf.stored.shape:
            continue
        error, other = (_amount(side.float64(), known, moved.count) for side in (leaf, peer))
        measured = {"error": error, "expected_error": other, "limit": limit}
        if worst is None or error > float(worst.measured["error"]):  # type: ignore[arg-type]
            beyond = error > limit * max(1.0, other)
            worst = Evidence("forward_error", F.BEYOND if beyond else F.WITHIN, measured=measured, path=leaf.path)
    return worst


def _amount(values: FloatArray, known: LeafNoise, samples: int) -> float:
    """In norm, or at the worst elements where these are further off."""
    residual = residual_of(values, known)
    return max(residual.norm_in_noise, residual.excess(samples).of_limit) if residual.count else 0.0


def own_noise(case: Case, noise: Noise) -> Evidence | None:
    """Whether the ops of `actual`, each rounded to the declared precision, make its error; None where they can't be seen."""
    own = noise_of_side(case, "actual", case.declared)
    if own is None:
        return None
    worst, path = 0.0, ""
    for leaf in case.native("actual").outputs:
        known, spread = noise.leaves.get(leaf.path), own.leaves.get(leaf.path)
        if leaf.format is None or known is None or spread is None or known.shape != leaf.stored.shape or spread.shape != known.shape:
            continue
        residual = residual_of(leaf.float64(), dataclasses.replace(known, spread=np.hypot(known.spread, spread.spread)))
        if residual.count and residual.excess(own.count).of_limit > worst:
            worst, path = residual.excess(own.count).of_limit, leaf.path
    return Evidence("own_noise", F.WITHIN if worst <= 1.0 else F.BEYOND, measured={"excess": worst}, path=path)
