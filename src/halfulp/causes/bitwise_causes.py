"""Causes of differences that are rounding: settings, algorithms and orders that make every bit agree."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ..cases import OutOfTime, Precision, Run, Variant
from ..words.numbers import counted, times_of, verb
from .applicable_knobs import is_of_backend, turnable
from .cause import Cause
from .hypotheses import ARITHMETIC, SETTING
from .laboratory import NEARLY, Laboratory, Outcome
from .trial import FINER, Trial, changed_function, cheap_first, of_knob, suggestions

REAL = 0.5
"""A formula is named below the rounding of the whole if, in float64, it changes the results by at least this share of what they differ by:
rewritings of one formula change nothing there."""
FEW = 16
"""So many settings that change bits are combined with every other one."""


def bits_found(laboratory: Laboratory) -> tuple[list[Cause], float | None]:
    """The changes that give every bit, or nearly all of a rounding difference; what they leave, in noise."""
    laboratory.progress("changing one setting at a time")
    turned = _made(laboratory, _knobs(laboratory, of_calls=False))
    found = _exact(laboratory, turned)
    if not found:
        found = _two_knobs(laboratory, turned)
        if found:
            return [_cause(laboratory, outcome, found, together=True) for outcome in found], found[-1].distance.rms
        found = _exact(laboratory, _made(laboratory, _knobs(laboratory, of_calls=True)))
    if not found:
        laboratory.progress("trying formulas and arithmetic")
        suggested = suggestions(laboratory.case)
        tried = _made(laboratory, cheap_first(trial for own in suggested for trial in (*own.trials, *own.single)))
        found = _exact(
            laboratory,
            [
                outcome
                for outcome in tried
                if outcome.trial.kind == ARITHMETIC or (not outcome.distance.unequal and _is_real(laboratory, outcome.trial))
            ],
        )
    # Others that do the same are named in the evidence of the first.
    return ([_cause(laboratory, found[0], found)], found[0].distance.rms) if found else ([], None)


def told_once(causes: list[Cause], orders: list[Cause], *, exact: bool) -> list[Cause]:
    """One answer where a setting, or a format inside, and the order of summation that comes with it make the same bits.

    Args:
        causes: settings, algorithms and arithmetic. orders: parts of the order of summation. exact: whether the first makes every bit agree.
    """
    if not causes or not orders or not exact:
        return [*orders, *causes]
    lines = [line for cause in orders for line in (f"This change also changes the order of summation: {cause.statement}", *cause.evidence)]
    return [dataclasses.replace(causes[0], evidence=(*causes[0].evidence, *lines)), *causes[1:]]


def no_remedy(detail: str, side: str) -> str:
    """What is said in place of a remedy where the difference is rounding: a setting may cost speed, and nothing is wrong."""
    return f"none is needed, because the difference is rounding. With {detail} for `{side}`, little or none of it is left"


def _made(laboratory: Laboratory, trials: Iterable[Trial]) -> list[Outcome]:
    found: list[Outcome] = []
    for trial in trials:
        if laboratory.hurries("changing one setting or op at a time"):
            break
        outcome = laboratory.make(trial)
        found += [outcome] if outcome is not None else []
    return found


def _exact(laboratory: Laboratory, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those that take nearly all away, on other inputs too, the best of each name, exact ones first."""
    exact = sorted(
        (
            outcome
            for outcome in outcomes
            if outcome.share >= NEARLY and outcome.distance.alike and not (outcome.trial.name == FINER and outcome.distance.unequal)
        ),
        key=lambda outcome: (outcome.distance.unequal > 0, -outcome.share, outcome.trial.kind == ARITHMETIC, outcome.trial.rank),
    )
    best: list[Outcome] = []
    for outcome in exact:
        if (
            outcome.trial.name not in {one.trial.name for one in best}
            and laboratory.holds_elsewhere((outcome.trial,), outcome.distance) is not False
        ):
            best.append(outcome)
    return best


def _knobs(laboratory: Laboratory, *, of_calls: bool) -> Iterable[Trial]:
    """The settings, or what can be changed about the call: its batch, the memory of its inputs, the mode of its modules."""
    for place, (knob, name) in enumerate(turnable(laboratory.case)):
        is_of_call = knob.wrap is not None and not is_of_backend(laboratory.case.side(name).function)
        if is_of_call == of_calls and not laboratory.case.side(name).is_compiled:
            yield of_knob(knob, name, place)


def _two_knobs(laboratory: Laboratory, turned: list[Outcome]) -> list[Outcome]:
    """Two settings of one side that together give every bit, where neither does alone (a library off, and the one that takes its place)."""
    laboratory.progress("changing two settings at a time")
    moving = sorted((outcome for outcome in turned if outcome.touched), key=lambda outcome: outcome.distance.rms)[:FEW]
    for first in moving:
        for second in turned:
            if laboratory.hurries("changing two settings at a time"):
                return []
            if second.trial.side != first.trial.side or second.trial.name == first.trial.name:
                continue
            outcome = laboratory.make(second.trial, (first.trial,))
            if outcome is None or not outcome.distance.alike or outcome.distance.unequal:
                continue
            if laboratory.holds_elsewhere((first.trial, second.trial), outcome.distance) is not False:
                return [first, outcome]
    return []


def _is_real(laboratory: Laboratory, trial: Trial) -> bool:
    """Whether a change of formula is one in exact arithmetic too, of the size of the difference."""
    case = laboratory.case
    if case.finest is Precision.NATIVE:
        return False
    changed = case.with_function(trial.side, changed_function(case.side(trial.side), (trial,)))
    try:
        before, after = (version.run(trial.side, Variant(case.finest)) for version in (case, changed))
    except OutOfTime:
        laboratory.stop("separating formulas from rounding")
        return False
    if not isinstance(before, Run) or not isinstance(after, Run):
        return False
    return laboratory.scale.distance(after.outputs, before.outputs).rms >= REAL * laboratory.before.rms


def _cause(laboratory: Laboratory, outcome: Outcome, all_found: list[Outcome], *, together: bool = False) -> Cause:
    """One of the changes that were found; `together`: only all of them give every bit."""
    trial, left, before = outcome.trial, outcome.distance.unequal, laboratory.before
    other = "actual" if trial.side == "expected" else "expected"
    others = [rival.trial.detail for rival in all_found if rival is not outcome]
    changed = " and ".join([trial.detail, *others]) if together else trial.detail
    if together:
        done = f"With `{trial.side}` computed with {changed}, every bit agrees; neither is enough alone"
    elif left:
        done = f"With this change to `{trial.side}`, {100 * outcome.share:.1f} % of the difference is gone; {left:,} of {counted(outcome.distance.count, 'element')} still {verb(left, 'differ')}"
    else:
        done = f"With this change to `{trial.side}`, every bit agrees"
    evidence = [
        f"{done}. Before that, {counted(before.unequal, 'element')} differed by {times_of(before.rms, 2)} what rounding causes (rms)."
    ]
    if others and not together:
        evidence.append(f"{'This change does' if len(others) == 1 else 'These changes do'} the same: {', '.join(others)}.")
    if trial.known:
        evidence.append(f"Background: {trial.known}.")
    is_formula = trial.kind not in (SETTING, ARITHMETIC)
    if is_formula:
        evidence.append(
            "In float64, the change still moves the results by at least half of the difference between the two sides, so it changes the formula and not just the rounding."
        )
    where = f" at {trial.place}" if trial.place else ""
    outcome_in_words = (
        ("The difference comes from a different formula, but its effect is smaller than the rounding of the whole result.")
        if is_formula
        else "The difference is rounding."
    )
    return Cause(
        trial.name, trial.kind, f"{'Computed with' if trial.kind == SETTING else 'With'} {changed}{where}, `{trial.side}` agrees with `{other}`. {outcome_in_words}",
        1.0 / len(all_found) if together else min(1.0, outcome.share), evidence=tuple(evidence),
        remedy=trial.remedy if is_formula else no_remedy(changed, trial.side),
        confidence="medium" if (others and not together) or left or outcome.distance.count == 1 else "high", side=trial.side, place=trial.place, reports=trial.reports,
    )  # fmt: skip
