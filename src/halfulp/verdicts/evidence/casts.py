"""Do casts to less than the declared precision inside `actual` make the difference? Taken out, it should vanish."""

from __future__ import annotations

import numpy as np

from ...cases import Case, Run, Variant
from ...floats import FORMATS
from ...noise import Noise, residual_of
from .. import limits
from ..verdict import Verdict
from .evidence import Evidence

V = Verdict


def casts(case: Case, noise: Noise) -> Evidence | None:
    """Whether `actual` agrees with `expected` once every cast to a coarser format is taken out.

    Returns:
        None where `actual` asks for no coarser format, or does not run without its casts.
    """
    bare = case.run("actual", Variant("float64 uncast"))
    expected = case.run("expected", Variant("float64") if case.finer else Variant())
    if not isinstance(bare, Run) or not isinstance(expected, Run):
        return None
    coarser = [name for name in bare.replaced if name in FORMATS and FORMATS[name].precision_bits < case.declared.precision_bits]
    if not coarser:
        return None
    others = {leaf.path: leaf for leaf in bare.outputs}
    native = {leaf.path: leaf for leaf in case.native("actual").outputs}
    left = 0.0
    for leaf in expected.outputs:
        spread, other, written = noise.leaves.get(leaf.path), others.get(leaf.path), native.get(leaf.path)
        if leaf.format is None or spread is None or other is None or written is None or other.shape != leaf.shape:
            continue
        values = leaf.numbers().astype(np.float64)
        remains = residual_of(other.numbers().astype(np.float64), spread, reference=values).rms
        before = residual_of(written.numbers().astype(np.float64), spread, reference=values).rms
        left = max(left, remains / before if before else 0.0)
    explained = left <= limits.VANISHES
    return Evidence(
        "casts",
        "explain" if explained else "do not explain",
        (V.REDUCED_PRECISION,) if explained else (V.MISTAKE,),
        {"formats": coarser, "share_left": left},
    )
