"""Causes of differences that are rounding: settings, algorithms and orders that make every bit agree."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .cause import Cause
from .hypotheses import ARITHMETIC, SETTING
from .knobs import Knob, knobs
from .laboratory import Laboratory, Outcome
from .trial import Trial, of_knob, suggestions

NEARLY = 0.9
"""A change that leaves a tenth of a rounding difference took most of it away; rounding drawn anew leaves all of it (a share of about 0)."""


def bits_found(laboratory: Laboratory) -> tuple[list[Cause], float | None]:
    """The changes that give every bit, or nearly all of a rounding difference; what they leave, in noise."""
    laboratory.progress("turning one knob at a time")
    outcomes = [outcome for trial in _turned(laboratory) if (outcome := _made(laboratory, trial)) is not None]
    exact = [each for each in outcomes if each.share >= NEARLY]
    if not exact:
        outcomes += [outcome for trial in _arithmetic(laboratory) if (outcome := _made(laboratory, trial)) is not None]
        exact = [each for each in outcomes if each.share >= NEARLY]
    if not exact:
        return [], None
    exact.sort(key=lambda each: (each.distance.unequal > 0, -each.share, each.trial.rank))
    best: list[Outcome] = []
    for each in exact:
        if each.trial.name not in {one.trial.name for one in best}:
            best.append(each)
    return [_cause(laboratory, each, best) for each in best], best[0].distance.rms


def _made(laboratory: Laboratory, trial: Trial) -> Outcome | None:
    return None if laboratory.hurries() else laboratory.make(trial)


def _turned(laboratory: Laboratory) -> Iterable[Trial]:
    usable: list[Knob] = [knob for knob in knobs() if not knob.needs_fresh_process and not knob.unavailable()]
    for place, knob in enumerate(usable):
        for name in ("expected", "actual"):
            if not laboratory.case.side(name).is_compiled:
                yield of_knob(knob, name, place)


def _arithmetic(laboratory: Laboratory) -> Iterable[Trial]:
    """Changes of arithmetic that are legitimate within the declared precision: casts, flushed numbers, fast algorithms."""
    for own in suggestions(laboratory.case):
        yield from (each for each in (*own.trials, *own.single) if each.kind == ARITHMETIC)


def _cause(laboratory: Laboratory, outcome: Outcome, all_found: list[Outcome]) -> Cause:
    trial = outcome.trial
    other = "actual" if trial.side == "expected" else "expected"
    joined = "computed with" if trial.kind == SETTING else "with"
    left = outcome.distance.unequal
    bits = (
        "every bit agrees"
        if not left
        else f"{left:,} of {outcome.distance.count:,} elements keep other bits, {100 * outcome.share:.1f} % of the difference is gone"
    )
    evidence = [
        f"With `{trial.side}` changed so, {bits}; before, {laboratory.before.unequal:,} elements differed by {laboratory.before.rms:.2g} times the noise."
    ]
    same = [each.trial.detail for each in all_found if each is not outcome and np.isclose(each.share, outcome.share)]
    if same:
        evidence.append(f"These do the same: {', '.join(same)}.")
    return Cause(
        trial.name, trial.kind, f"`{other}` behaves like `{trial.side}` {joined} {trial.detail}. The difference is rounding.", min(1.0, outcome.share),
        tuple(evidence), trial.remedy, "medium" if same or left else "high", trial.side, trial.place, trial.reports,
    )  # fmt: skip
