"""Does each side agree with itself? A second run starts from another random seed, a third from the first seed again."""

from __future__ import annotations

import contextlib
import dataclasses

import numpy as np

from ...cases import Case, Run, Unavailable, Variant
from ...differences.comparing import compare_leaves
from ...noise import Noise, residual_of, run_under
from .. import limits
from ..verdict import Verdict
from .evidence import Evidence
from .noise import excess

V = Verdict


def repetition(case: Case) -> Evidence:
    """Whether a repeated run gives the same bits, and if not, by how much and whether random numbers explain it."""
    for name in ("actual", "expected"):
        first, second = case.native(name), case.run(name, Variant(repetition=1))
        if isinstance(second, Unavailable):
            return Evidence("repetition", "fails", (V.NONDETERMINISTIC,), {"side": name, "why": second.reason})
        apart = compare_leaves(second.outputs, first.outputs)
        if apart.same_bits:
            continue
        modules = case.side(name).random_modules()
        measured = {
            "side": name,
            "unequal": apart.unequal,
            "count": apart.count,
            "max_abs": apart.max_abs,
            "max_ulps": apart.max_ulps,
            "random_modules": modules,
        }
        return Evidence("repetition", "differs", (V.NONDETERMINISTIC,), {**measured})
    return Evidence("repetition", "same", tuple(each for each in V if each is not V.NONDETERMINISTIC), {"runs": 2})


def sized(case: Case, repeated: Evidence, noise: Noise) -> Evidence:
    """The same evidence with the disagreement measured by the noise: within rounding or beyond it."""
    if repeated.finding != "differs":
        return repeated
    name = str(repeated.measured["side"])
    first, second = case.native(name), case.run(name, Variant(repetition=1))
    assert isinstance(second, Run)
    again = {leaf.path: leaf for leaf in second.outputs}
    worst = 0.0
    for leaf in first.outputs:
        other, spread = again.get(leaf.path), noise.leaves.get(leaf.path)
        if other is None or other.shape != leaf.shape:
            worst = np.inf
        elif leaf.format is None or spread is None:
            worst = max(worst, 0.0 if np.array_equal(leaf.stored, other.stored) else np.inf)
        else:
            values = other.numbers().astype(np.float64)
            residual = residual_of(values, spread, reference=leaf.numbers().astype(np.float64))
            worst = max(worst, excess(residual, noise.count))
    beyond = worst > 1.0 or _noise_is_random(case, name, noise)
    return dataclasses.replace(
        repeated,
        finding="beyond rounding" if beyond else "within rounding",
        speaks_for=(V.NONDETERMINISTIC,) if beyond else (V.ROUNDING, V.NONDETERMINISTIC),
        measured={**repeated.measured, "excess": float(worst)},
    )


def _noise_is_random(case: Case, name: str, noise: Noise) -> bool:
    """Whether two float64 runs without any noise differ as much as the noise: then random numbers of its own made the spread."""
    try:
        first, second = (run_under(case, name, contextlib.nullcontext()) for _ in range(2))
    except Exception:  # the side runs natively only: its spread came from elsewhere
        return False
    again = {leaf.path: leaf for leaf in second}
    for leaf in first:
        spread, other = noise.leaves.get(leaf.path), again.get(leaf.path)
        if leaf.format is None or spread is None or other is None or spread.reference.shape != leaf.stored.shape:
            continue
        values = other.numbers().astype(np.float64)
        if residual_of(values, spread, reference=leaf.numbers().astype(np.float64)).rms_in_noise > limits.VANISHES:
            return True
    return False
