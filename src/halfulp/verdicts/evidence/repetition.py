"""Does each side agree with itself? The second run starts from another random seed, with NaN in all memory that nobody has written."""

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
AGAIN = Variant(repetition=1, poisoned=True)


def repetition(case: Case) -> Evidence:
    """Whether a repeated run gives the same bits, and if not, by how much, and whether random numbers or unwritten memory explain it."""
    for name in ("actual", "expected"):
        if _agrees(case, name, AGAIN):
            continue
        second, again = case.run(name, AGAIN), case.run(name, Variant(repetition=1))
        if isinstance(again, Unavailable):
            return Evidence("repetition", "fails", (V.NONDETERMINISTIC,), {"side": name, "why": again.reason})
        agrees = _agrees(case, name, Variant(repetition=1))
        if agrees and isinstance(second, Unavailable):
            continue  # it does not run where unwritten memory is NaN: nothing is learned
        # Once more each, because a side that disagrees with itself now and then looks the same once.
        unwritten = agrees and _agrees(case, name, Variant(repetition=2)) and not _agrees(case, name, Variant(repetition=2, poisoned=True))
        unwritten = unwritten or _shows_nan(second, case.native(name))
        other = second if isinstance(second, Run) and unwritten else again
        apart = compare_leaves(other.outputs, case.native(name).outputs)
        measured = {
            "side": name,
            "unequal": apart.unequal,
            "count": apart.count,
            "max_abs": apart.max_abs,
            "max_ulps": apart.max_ulps,
            "random_modules": case.side(name).random_modules(),
            **_how_often(case, name),
        }
        return Evidence("repetition", "unwritten memory" if unwritten else "differs", (V.NONDETERMINISTIC,), {**measured})
    return Evidence("repetition", "same", tuple(each for each in V if each is not V.NONDETERMINISTIC), {"runs": 2})


def _agrees(case: Case, name: str, variant: Variant) -> bool:
    run = case.run(name, variant)
    return isinstance(run, Run) and compare_leaves(run.outputs, case.native(name).outputs).same_bits


def _shows_nan(filled: Run | Unavailable, plain: Run) -> bool:
    """Whether there is NaN where memory held NaN before it was written, and none in the first run (later ones may be lent that memory)."""
    if isinstance(filled, Unavailable):
        return False
    others = {leaf.path: leaf for leaf in plain.outputs}
    pairs = [(leaf, others[leaf.path]) for leaf in filled.outputs if leaf.format is not None and leaf.path in others]
    return any(bool(np.isnan(leaf.numbers()).any()) and not np.isnan(other.numbers()).any() for leaf, other in pairs)


RUNS = 8
"""How often a side that disagrees with itself is run: one run in three that differs shows itself with probability 0.96."""


def _how_often(case: Case, name: str) -> dict[str, int | bool]:
    """How many results several runs give, and whether the seed decides them."""
    runs = [case.native(name), *(case.run(name, Variant(repetition=place)) for place in range(1, RUNS))]
    kept: list[Run] = []
    same = 0
    for place, run in enumerate(runs):
        if isinstance(run, Unavailable):
            continue
        same += place > 0 and compare_leaves(run.outputs, runs[0].outputs).same_bits  # type: ignore[union-attr]
        if not any(compare_leaves(run.outputs, other.outputs).same_bits for other in kept):
            kept.append(run)
    return {"runs": RUNS, "runs_like_the_first": same, "results": len(kept), "seed_decides": _agrees(case, name, Variant(repetition=-1))}


def sized(case: Case, repeated: Evidence, noise: Noise) -> Evidence:
    """The same evidence with the disagreement measured by the noise: within rounding or beyond it."""
    if repeated.finding != "differs":
        return repeated
    name = str(repeated.measured["side"])
    first, second = case.native(name), case.run(name, Variant(repetition=1))
    if not isinstance(second, Run) or _agrees(case, name, Variant(repetition=1)):
        second = case.run(name, AGAIN)
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
