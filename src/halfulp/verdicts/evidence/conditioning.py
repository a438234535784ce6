"""Does `actual` lose other digits than `expected` does, no more of them, where rounding the data alone moves the result as far?

Two good formulas of one function cancel at different elements. The noise is sampled from the ops of one of them, so the other's errors
stand out where it alone cancels. They are honest where a rounding of the inputs does as much (a mixed stable algorithm: Higham, Accuracy
and Stability, 2nd ed., section 1.5), and as long as they are small over all.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ...cases import Case
from ...noise import Noise, noise_of_inputs, noise_of_side, residual_of
from .evidence import Evidence
from .finding import Finding

F = Finding


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
