"""Does each side agree with itself? The second run starts from another random seed, with NaN in all memory that nobody has written."""

from __future__ import annotations

import contextlib
import dataclasses

import numpy as np

from ...cases import Case, Run, Unavailable, Variant
from ...differences.comparison import compare_leaves
from ...noise import Noise, residual_of, run_under
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding
AGAIN = Variant(repetition=1, poisoned=True)


def repetition(case: Case) -> Evidence:
    """Whether a repeated run gives the same bits, and if not, by how much, and whether random numbers or unwritten memory explain it.

    A stored result can't be run again: then the finding says so, unless the other side disagrees with itself.
    """
    for name in _functions(case):
        if _agrees(case, name, AGAIN):
            continue
        second, again = case.run(name, AGAIN), case.run(name, Variant(repetition=1))
        if isinstance(again, Unavailable):
            return Evidence("repetition", F.FAILS, measured={"side": name, "why": again.reason})
        agrees = _agrees(case, name, Variant(repetition=1))
        if agrees and isinstance(second, Unavailable):
            continue  # it does not run where unwritten memory is NaN: nothing is learned
        if (
            agrees
            and not _agrees(case, name, Variant(repetition=2, watched=True))
            and not _shows_nan(case, name, (case.native(name), again))
        ):
            continue  # PyTorch takes another path where ops are looked at (the gradient of a product does): it is no memory that makes it
        # Once more each, because a side that disagrees with itself now and then looks the same once.
        unwritten = agrees and _agrees(case, name, Variant(repetition=2)) and not _agrees(case, name, Variant(repetition=2, poisoned=True))
        unwritten = unwritten or _shows_nan(case, name, (case.native(name), again))
        other = second if isinstance(second, Run) and (unwritten or agrees) else again
        return _differs(case, name, other, F.UNWRITTEN_MEMORY if unwritten else F.DIFFERS)
    return _same(case, 2)


def agrees(repeated: Evidence) -> bool:
    """Whether no side that can be run disagrees with itself."""
    return repeated.finding in (F.SAME, F.UNAVAILABLE)


def _functions(case: Case) -> list[str]:
    """The sides that can be run."""
    return [name for name in ("actual", "expected") if name != case.stored]


def repeated_often(case: Case) -> Evidence:
    """The same, asked before a difference is called a fault: what changes now and then may look the same twice."""
    for place in range(2, RUNS):
        for name in _functions(case):
            run = case.run(name, Variant(repetition=place))
            if isinstance(run, Unavailable):
                return Evidence("repetition", F.FAILS, measured={"side": name, "why": run.reason})
            if not _agrees(case, name, Variant(repetition=place)):
                return _differs(case, name, run, F.UNWRITTEN_MEMORY if _shows_nan(case, name, (run,)) else F.DIFFERS)
            case.forget(name, Variant(repetition=place))
    return _same(case, RUNS)


def _same(case: Case, runs: int) -> Evidence:
    if case.stored:
        why = f"`{case.stored}` is a stored result; {runs} runs of `{_functions(case)[0]}` agree"
        return Evidence("repetition", F.UNAVAILABLE, measured={"why": why})
    return Evidence("repetition", F.SAME, measured={"runs": runs})


def _differs(case: Case, name: str, other: Run, finding: Finding) -> Evidence:
    apart = compare_leaves(other.outputs, case.native(name).outputs)
    if apart.mismatches and finding == F.DIFFERS:
        finding = F.BEYOND_ROUNDING  # of another structure, which rounding never makes
    measured = {
        "side": name,
        "structure": f"{apart.mismatches[0].actual} and {apart.mismatches[0].expected}" if apart.mismatches else "",
        "unequal": apart.unequal,
        "count": apart.count,
        "max_abs": apart.max_abs,
        "max_ulps": apart.max_ulps,
        "random_modules": case.side(name).random_modules(),
        **_how_often(case, name, other),
    }
    return Evidence("repetition", finding, measured=measured)


def _agrees(case: Case, name: str, variant: Variant) -> bool:
    run = case.run(name, variant)
    if not isinstance(run, Run):
        return False
    first = case.native(name)
    return run.gives_bits_of(first) or compare_leaves(run.outputs, first.outputs).same_bits


def _shows_nan(case: Case, name: str, plain: tuple[Run, ...]) -> bool:
    """Whether there is NaN wherever memory held NaN before it was written, twice in the same places, and not in all of them in a plain run.

    A plain run may be lent memory with NaN in it, too; NaN that random numbers make lie elsewhere each time.
    """
    found: list[dict[str, np.ndarray]] = []
    for variant in (AGAIN, Variant(repetition=2, poisoned=True)):
        run = case.run(name, variant)
        if isinstance(run, Unavailable):
            return False
        found.append({leaf.path: np.isnan(leaf.numbers()) for leaf in run.outputs if leaf.format is not None})
    first, second = found
    if first.keys() != second.keys() or not all(np.array_equal(mask, second[path]) for path, mask in first.items()):
        return False
    return any(
        leaf.path in first and first[leaf.path].shape == leaf.stored.shape and bool((first[leaf.path] & ~np.isnan(leaf.numbers())).any())
        for run in plain
        for leaf in run.outputs
        if leaf.format is not None
    )


RUNS = 8
"""How often a side that disagrees with itself is run: one run in three that differs shows itself with probability 0.96."""


def _how_often(case: Case, name: str, other: Run) -> dict[str, int | bool]:
    """How many results several runs give, the one that was found to differ among them, and whether the seed decides them."""
    runs = [case.native(name), *(case.run(name, Variant(repetition=place)) for place in range(1, RUNS))]
    if not any(other is run for run in runs):
        runs[1] = other
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
    if repeated.finding != F.DIFFERS:
        return repeated
    name = str(repeated.measured["side"])
    first = case.native(name)
    others = [case.run(name, variant) for variant in (AGAIN, *(Variant(repetition=place) for place in range(1, RUNS)))]
    runs = [run for run in others if isinstance(run, Run)]
    second = next(run for run in runs if not compare_leaves(run.outputs, first.outputs).same_bits)
    again = {leaf.path: leaf for leaf in second.outputs}
    worst = 0.0
    for leaf in first.outputs:
        other, spread = again.get(leaf.path), noise.leaves.get(leaf.path)
        if other is None or other.shape != leaf.shape:
            worst = np.inf
        elif leaf.format is None or spread is None:
            worst = max(worst, 0.0 if np.array_equal(leaf.stored, other.stored) else np.inf)
        else:
            values, reference = other.float64(), leaf.float64()
            specials_agree = np.array_equal(*(np.where(np.isfinite(array), 0.0, array) for array in (values, reference)), equal_nan=True)
            residual = residual_of(values, spread, reference=reference)
            worst = max(worst, residual.excess(noise.count).of_limit) if specials_agree else np.inf
    beyond = worst > 1.0 or _noise_is_random(case, name, noise)
    return dataclasses.replace(
        repeated,
        finding=F.BEYOND_ROUNDING if beyond else F.WITHIN_ROUNDING,
        speaks_for=(),
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
        values = other.float64()
        if residual_of(values, spread, reference=leaf.float64()).rms_in_noise > limits.VANISHES:
            return True
    return False
