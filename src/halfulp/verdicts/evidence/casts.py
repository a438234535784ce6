"""Do casts to less than the declared precision inside `actual` make the difference? Taken out, it should vanish."""

from __future__ import annotations

import numpy as np
import torch

from ...cases import Case, Precision, Run, Variant
from ...differences.allowance import MODEL_SLACK
from ...floats import FORMATS
from ...noise import STATE, Noise, Residual, noise_of, residual_of
from .. import limits
from .evidence import Evidence, Measured
from .finding import Finding

F = Finding


def casts(case: Case, noise: Noise, *, beyond: bool) -> Evidence | None:
    """Whether `actual` agrees with `expected` once every cast to a coarser format is taken out.

    Args:
        case, noise: what is judged, and its noise. beyond: whether the error is beyond rounding. Within it, casts that make no more of a
            difference than storing results in the declared precision lose nothing (a product of bfloat16 parts that keeps all bits).

    Returns:
        None where `actual` asks for no coarser format, or does not run without its casts.
    """
    bare = case.run("actual", Variant(Precision.UNCAST))
    expected = case.run("expected", Variant(case.finest))
    if not isinstance(bare, Run) or not isinstance(expected, Run):
        return None
    coarser = [name for name in bare.replaced if name in FORMATS and FORMATS[name].precision_bits < case.declared.precision_bits]
    default = str(torch.get_default_dtype()).removeprefix("torch.")
    if bare.made and FORMATS[default].precision_bits < case.declared.precision_bits:
        coarser = [*(name for name in coarser if name != default), default]  # last: the reason names it
    if not coarser:
        return None
    if _unequal_integers(bare, expected):
        return Evidence("casts", F.DO_NOT_EXPLAIN, measured={"formats": coarser, "share_left": 1.0})
    left = _share_left(case, noise, bare, expected)
    stored = case.actual.stored_formats() & set(coarser)
    measured: dict[str, Measured] = {"made_at": list(bare.made)} if default in coarser else {}
    if left > limits.VANISHES and stored:
        # Weights stored in a coarser format stay rounded when the casts are taken out.
        form = FORMATS[min(stored, key=lambda name: FORMATS[name].precision_bits)]
        worst = _worst_excess(noise_of(case, declared=form), bare, expected)
        finding = F.EXPLAIN if worst <= 1.0 else F.DO_NOT_EXPLAIN
        measured |= {"stored": sorted(stored), "excess_left": worst}
    else:
        finding = F.EXPLAIN if left <= limits.VANISHES else F.DO_NOT_EXPLAIN
    if finding == F.EXPLAIN and not beyond and not _unequal_integers(case.native("actual"), case.native("expected")):
        lifted = case.run("actual", Variant(case.finest))
        if isinstance(lifted, Run):
            storing = noise_of(case, accumulate=False, rounds=STATE)
            found = _residuals(storing, lifted, expected)
            typical = max((residual.rms_in_noise for residual in found), default=0.0)
            measured["rms_over_rounding"] = typical
            within = typical <= MODEL_SLACK and all(residual.excess(storing.count).within for residual in found)
            finding = F.LOSE_NOTHING if within else F.EXPLAIN
    return Evidence(
        "casts",
        finding,
        measured={"formats": coarser, "share_left": left, **measured},
    )


def _unequal_integers(actual: Run, expected: Run) -> bool:
    """Whether an integer or boolean output differs."""
    for leaf in expected.outputs:
        other = actual.by_path.get(leaf.path)
        if leaf.format is None and other is not None and other.shape == leaf.shape and bool(np.any(other.stored != leaf.stored)):
            return True
    return False


def _share_left(case: Case, noise: Noise, bare: Run, expected: Run) -> float:
    """How much of the difference is left without the casts."""
    others = {leaf.path: leaf for leaf in bare.outputs}
    native = {leaf.path: leaf for leaf in case.native("actual").outputs}
    left = 0.0
    for leaf in expected.outputs:
        spread, other, written = noise.leaves.get(leaf.path), others.get(leaf.path), native.get(leaf.path)
        if leaf.format is None or spread is None or other is None or written is None or other.shape != leaf.shape:
            continue
        values = leaf.float64()
        remains = residual_of(other.float64(), spread, reference=values).rms
        before = residual_of(written.float64(), spread, reference=values).rms
        left = max(left, remains / before if before else 0.0)
    return left


def _worst_excess(coarse: Noise, bare: Run, expected: Run) -> float:
    """How far what is left is beyond the rounding of the coarser format."""
    return max((residual.excess(coarse.count).of_limit for residual in _residuals(coarse, bare, expected)), default=0.0)


def _residuals(noise: Noise, actual: Run, expected: Run) -> list[Residual]:
    """How far two runs are apart, output by output, in units of a noise."""
    found: list[Residual] = []
    for leaf in expected.outputs:
        spread, other = noise.leaves.get(leaf.path), actual.by_path.get(leaf.path)
        if leaf.format is not None and spread is not None and other is not None and other.shape == leaf.shape:
            found.append(residual_of(other.float64(), spread, reference=leaf.float64()))
    return found
