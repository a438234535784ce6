"""Does the error of `actual` change when its inputs move slightly? Rounding errors are drawn anew; a formula's error stays.

Needs nothing but native runs of `actual`, so it works where a float64 run is refused.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ...cases import Case, Change, Inputs, Run, Variant
from ...differences.allowance import rms_limit
from ...noise import STATE, LeafNoise, Noise, noise_of, residual_of, root_mean_square, uses_transforms
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding


FARTHER = 10.0
"""A right error of rounding is redrawn in its own size, a formula's error stays: one ten times as large is another one."""


def _left_the_domain(case: Case, noise: Noise, errors: dict[str, list[np.ndarray]]) -> bool:
    """Whether the error near the given inputs is of another size than at them, and beyond the noise."""
    for leaf in case.native("actual").outputs:
        spread = noise.leaves.get(leaf.path)
        if spread is None or leaf.path not in errors:
            continue
        given = residual_of(leaf.float64(), spread)
        for error in errors[leaf.path]:
            moved = residual_of(error, spread, reference=np.zeros_like(error))
            if moved.norm_in_noise > FARTHER * max(given.norm_in_noise, 1.0):
                return True
    return False


def _as_wide_as(spread: LeafNoise, sizes: np.ndarray) -> LeafNoise:
    """The spread, at least as large relative to the moved results as it typically is: what was near zero is so no longer once it moved."""
    reference = np.abs(spread.reference)
    usable = (reference > 0) & np.isfinite(reference)
    typical = float(np.median(spread.spread[usable] / reference[usable])) if usable.any() else 0.0
    return dataclasses.replace(spread, spread=np.maximum(spread.spread, typical * sizes))


REPETITIONS = 4
"""Redrawn rounding leaves 1/4 of its square sum in the mean of four, which `limits.SYSTEMATIC` tells from a whole with room on both sides;
each repetition costs a run of both sides.
"""


def redraw(case: Case, noise: Noise, *, widely: bool = False) -> Evidence:
    """The share of the error that is the same function of nearby inputs.

    Args:
        case, noise: see `gatherer.py`.
        widely: inputs move by more than the spacing of the 16-bit formats, so that rounding in one of them is drawn anew too. Then the
            evidence is of the kind "wide_redraw".
    """
    kind = "wide_redraw" if widely else "redraw"
    errors: dict[str, list[np.ndarray]] = {}
    sizes: dict[str, np.ndarray] = {}
    firsts: dict[str, np.ndarray] = {}
    moves: dict[str, np.ndarray] = {}
    for repetition in range(REPETITIONS):
        variant = Variant(inputs=Inputs(Change.MOVED_WIDELY if widely else Change.MOVED, repetition))
        actual = case.run("actual", variant)
        expected = case.run("expected", Variant(case.finest, variant.inputs))
        if not isinstance(expected, Run):  # its own rounding is drawn anew as well
            expected = case.run("expected", variant)
        if not isinstance(actual, Run) or not isinstance(expected, Run):
            why = "a side does not run on inputs that are moved slightly"
            return Evidence(kind, F.UNAVAILABLE, measured={"why": why})
        references = {leaf.path: leaf for leaf in expected.outputs}
        for leaf in actual.outputs:
            other = references.get(leaf.path)
            if leaf.format is None or other is None or other.shape != leaf.shape or leaf.path not in noise.leaves:
                continue
            exact = other.float64()
            moves[leaf.path] = moves.get(leaf.path, False) | (exact != firsts.setdefault(leaf.path, exact))
            sizes[leaf.path] = np.maximum(sizes.get(leaf.path, 0.0), np.where(np.isfinite(exact), np.abs(exact), 0.0))
            with np.errstate(invalid="ignore"):
                error = leaf.float64() - exact
            errors.setdefault(leaf.path, []).append(np.where(np.isfinite(error), error, 0.0))
    if not any(moved.any() for moved in moves.values()):
        return Evidence(kind, F.UNAVAILABLE, measured={"why": "no result moves when the inputs do, so no rounding is drawn anew"})
    # A result that stays where it is has its rounding from the same numbers each time: it stays too, whatever made it.
    errors = {path: [np.where(moves[path], error, 0.0) for error in found] for path, found in errors.items()}
    if _left_the_domain(case, noise, errors):
        why = (
            "the two agree on the given inputs far better than near them: moving breaks something that the inputs have (a symmetry, a sum)"
        )
        return Evidence(kind, F.UNAVAILABLE, measured={"why": why})
    data = noise_of(case, accumulate=False, rounds=STATE)
    in_norm = uses_transforms(case, "actual")
    worst, worst_share, worst_excess = "", 0.0, 0.0
    for path, found in errors.items():
        if len(found) < REPETITIONS:
            continue
        stays = np.mean(found, axis=0)
        total = root_mean_square(np.asarray(found))
        share = (root_mean_square(stays) / total) ** 2 if total else 0.0
        stayed = residual_of(stays, _as_wide_as(data.leaves[path], sizes[path]), reference=np.zeros_like(stays))
        amount = stayed.excess(data.count, slack=1.0).of_limit
        if in_norm:  # rounded twiddle factors are constants: their error stays, and is small in norm only
            amount = min(amount, stayed.norm_in_noise / rms_limit(data.count, slack=1.0))
        if min(share, amount) >= min(worst_share, worst_excess):
            worst, worst_share, worst_excess = path, share, amount
    # Constants and tables rounded to the declared precision leave an error that stays, but none larger than rounding data makes.
    systematic = worst_share > limits.SYSTEMATIC and worst_excess > 1.0
    return Evidence(
        kind,
        F.SYSTEMATIC if systematic else F.RANDOM,
        measured={"share_that_stays": worst_share, "repetitions": REPETITIONS, "excess_over_data_rounding": worst_excess},
        path=worst,
    )
