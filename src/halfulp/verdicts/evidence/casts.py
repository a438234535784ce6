"""Do casts to less than the declared precision inside `actual` make the difference? Taken out, it should vanish."""

from __future__ import annotations

import torch

from ...cases import Case, Precision, Run, Variant
from ...floats import FORMATS
from ...noise import Noise, noise_of, residual_of
from .. import limits
from .evidence import Evidence, Measured
from .finding import Finding

F = Finding


def casts(case: Case, noise: Noise) -> Evidence | None:
    """Whether `actual` agrees with `expected` once every cast to a coarser format is taken out.

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
        coarser = [*dict.fromkeys([*coarser, default])]
    if not coarser:
        return None
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
    return Evidence(
        "casts",
        finding,
        measured={"formats": coarser, "share_left": left, **measured},
    )


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
    others = {leaf.path: leaf for leaf in bare.outputs}
    worst = 0.0
    for leaf in expected.outputs:
        spread, other = coarse.leaves.get(leaf.path), others.get(leaf.path)
        if leaf.format is None or spread is None or other is None or other.shape != leaf.shape:
            continue
        values = leaf.float64()
        worst = max(worst, residual_of(other.float64(), spread, reference=values).excess(coarse.count).of_limit)
    return worst
