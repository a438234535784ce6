"""Does the error of `actual` change when its inputs move slightly? Rounding errors are drawn anew; a formula's error stays.

Needs nothing but native runs of `actual`, so it works where a float64 run is refused.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from ...cases import Case, Change, Inputs, Run, Variant
from ...differences.allowance import FALSE_ALARM, rms_limit, student_quantile
from ...noise import STATE, LeafNoise, Noise, gain_of, noise_of, residual_of, root_mean_square, uses_transforms
from .. import limits
from .evidence import Evidence, Measured
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


def redraw(case: Case, noise: Noise, *, beyond: bool, widely: bool = False) -> Evidence:
    """The share of the error that is the same function of nearby inputs.

    Args:
        case, noise: see `gatherer.py`. beyond: whether the error is beyond rounding: an unstable algorithm leans as well.
        widely: inputs move by more than the spacing of the 16-bit formats, so that rounding in one of them is drawn anew too. Then the
            evidence is of the kind "wide_redraw".
    """
    kind = "wide_redraw" if widely else "redraw"
    redrawn = _redrawn(case, noise, widely=widely)
    if redrawn is None:
        return Evidence(kind, F.UNAVAILABLE, measured={"why": "one side does not run on inputs that are perturbed slightly"})
    if not any(found.moves.any() for found in redrawn.values()):
        return Evidence(
            kind,
            F.UNAVAILABLE,
            measured={"why": "no result changes when the inputs are perturbed, so rounding error can't be seen to change"},
        )
    # A result that stays where it is has its rounding from the same numbers each time: it stays too, whatever made it.
    errors = {path: [np.where(found.moves, error, 0.0) for error in found.errors] for path, found in redrawn.items()}
    if _left_the_domain(case, noise, errors):
        why = (
            "the two agree far better on the given inputs than on nearby ones: perturbing the inputs breaks a property "
            "that they have (a symmetry, a fixed sum)"
        )
        return Evidence(kind, F.UNAVAILABLE, measured={"why": why})
    data = noise_of(case, accumulate=False, rounds=STATE)
    in_norm = uses_transforms(case, "actual")
    worst, worst_share, worst_excess = "", 0.0, 0.0
    for path, found in errors.items():
        if len(found) < limits.REPETITIONS:
            continue
        stays = np.mean(found, axis=0)
        total = root_mean_square(np.asarray(found))
        share = (root_mean_square(stays) / total) ** 2 if total else 0.0
        stayed = residual_of(stays, _as_wide_as(data.leaves[path], redrawn[path].sizes), reference=np.zeros_like(stays))
        amount = stayed.excess(data.count, slack=1.0).of_limit
        if in_norm:  # rounded twiddle factors are constants: their error stays, and is small in norm only
            amount = min(amount, stayed.norm_in_noise / rms_limit(data.count, slack=1.0))
        if min(share, amount) >= min(worst_share, worst_excess):
            worst, worst_share, worst_excess = path, share, amount
    # Constants and tables rounded to the declared precision leave an error that stays, but none larger than rounding data makes.
    systematic = worst_share > limits.SYSTEMATIC and worst_excess > 1.0
    measured: dict[str, Measured] = {
        "share_that_stays": worst_share, "repetitions": limits.REPETITIONS, "excess_over_data_rounding": worst_excess,
    }  # fmt: skip
    path, leans = _gain_that_stays(redrawn, _own_gains(case, noise), case.declared.unit_roundoff)
    if leans is not None and not (systematic or in_norm or beyond):
        return Evidence(kind, F.SYSTEMATIC, measured={**measured, "gain_in_u": leans}, path=path)
    return Evidence(kind, F.SYSTEMATIC if systematic else F.RANDOM, measured=measured, path=worst)


@dataclass
class _Redrawn:
    """What an output does when the inputs move.

    Attributes:
        first: the exact result the first time. errors: of `actual`, each time. gains: their regressions on the result.
        sizes: the largest magnitude of each element. moves: whether it moves at all.
    """

    first: np.ndarray
    errors: list[np.ndarray]
    gains: list[float]
    sizes: np.ndarray
    moves: np.ndarray


def _redrawn(case: Case, noise: Noise, *, widely: bool) -> dict[str, _Redrawn] | None:
    """Each output's errors on inputs that are moved several times; None where a side does not run on such."""
    outputs: dict[str, _Redrawn] = {}
    for repetition in range(limits.REPETITIONS):
        variant = Variant(inputs=Inputs(Change.MOVED_WIDELY if widely else Change.MOVED, repetition))
        actual = case.run("actual", variant)
        expected = case.run("expected", Variant(case.finest, variant.inputs))
        if not isinstance(expected, Run):  # its own rounding is drawn anew as well
            expected = case.run("expected", variant)
        if not isinstance(actual, Run) or not isinstance(expected, Run):
            return None
        for leaf in actual.outputs:
            other = expected.by_path.get(leaf.path)
            if leaf.format is None or other is None or other.shape != leaf.shape or leaf.path not in noise.leaves:
                continue
            exact = other.float64()
            with np.errstate(invalid="ignore"):
                error = leaf.float64() - exact
            error = np.where(np.isfinite(error), error, 0.0)
            unmoved = np.zeros(exact.shape, dtype=bool)
            found = outputs.setdefault(leaf.path, _Redrawn(exact, [], [], np.zeros(exact.shape), unmoved))
            found.errors.append(error)
            found.moves = found.moves | (exact != found.first)
            found.sizes = np.maximum(found.sizes, np.where(np.isfinite(exact), np.abs(exact), 0.0))
            if leaf.stored.size >= limits.FEWEST and not leaf.dtype.startswith("complex"):
                found.gains.append(gain_of(error, exact))
    return outputs


def _own_gains(case: Case, noise: Noise) -> dict[str, float]:
    """By how large a share `expected` itself is too large or too small, as written: by all of a result that its format cannot hold."""
    found: dict[str, float] = {}
    for leaf in case.native("expected").outputs:
        known = noise.leaves.get(leaf.path)
        if leaf.format is None or known is None or known.shape != leaf.stored.shape or leaf.dtype.startswith("complex"):
            continue
        with np.errstate(invalid="ignore"):
            error = leaf.float64() - known.reference
        found[leaf.path] = abs(gain_of(np.where(np.isfinite(error), error, 0.0), known.reference))
    return found


def _gain_that_stays(redrawn: dict[str, _Redrawn], own: dict[str, float], u: float) -> tuple[str, float | None]:
    """The output whose results are too large or too small by the same share each time, and by how many u; None where there is none.

    How far the share comes out differently when rounding is drawn anew is what a mean of so many may be off by (Student's t).

    Args:
        redrawn: the outputs. own: by how much `expected` itself leans. u: the unit roundoff.
    """
    found: tuple[str, float | None] = ("", None)
    for path, shares in ((path, each.gains) for path, each in redrawn.items()):
        if len(shares) < limits.REPETITIONS:
            continue
        mean, scatter = float(np.mean(shares)), float(np.std(shares, ddof=1)) / math.sqrt(len(shares))
        least = limits.ONE_CONSTANT * u + own.get(path, 0.0)
        if abs(mean) - student_quantile(FALSE_ALARM, len(shares) - 1) * scatter > least and abs(mean) > abs(found[1] or 0.0) * u:
            found = path, mean / u
    return found
