"""explain: why do two implementations differ?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..backends.knobs import knobs
from ..cases import Case, Deadline, OutOfTime, require_runnable
from ..cases.deadline import now
from ..errors import InputError
from ..noise import Noise, noise_of
from ..origins.place import Place
from ..process.alone import quiet
from ..process.border import answered
from ..verdicts.checker import judged, unfinished
from ..verdicts.evidence.finding import Finding
from ..verdicts.gatherer import Gatherer
from ..verdicts.verdict import Verdict
from ..words.numbers import times_of
from .applicable_knobs import turnable
from .bitwise_causes import bits_found, no_remedy, told_once
from .cause import Cause, Explanation
from .compilation import Compilation, compilation_of, taken_apart
from .direct import direct_causes
from .fresh import Turned, turned_in_fresh_processes
from .hypotheses import MEMORY, SETTING
from .laboratory import NEARLY, Laboratory, Outcome
from .order_causes import order_causes
from .search import PARTIAL, Found, Search
from .trial import FINER, Trial, of_knob, suggestions

UNSEEN = "Neither {} calls PyTorch functions, and halfulp can't change what NumPy and other libraries compute."
PROCESSES = "settings that need fresh processes"
BUDGET_S = 60.0
"""The default time: the slowest pair that `python -m benchmarks.explain` prints took half of it (27 s)."""
VERDICT_S = 5.0
"""The verdict is given so much whatever the budget: ten times what it takes for ops and small models (`python -m benchmarks.check_cost`).
Without a verdict there is nothing to explain."""


@answered
def explain(
    actual: Callable[..., Any],
    expected: Callable[..., Any],
    inputs: Any,
    *,
    declared: object = None,
    reference: Callable[..., Any] | None = None,
    keywords: dict[str, Any] | None = None,
    gradients: bool = False,
    seed: int = 0,
    budget_s: float = BUDGET_S,
    processes: bool = True,
    progress: Callable[[str], None] | None = None,
) -> Explanation:
    """Why do two implementations differ? Found by experiment: one thing is changed, and what becomes of the difference is measured.

    Args:
        actual: the implementation under test: a function or `nn.Module`, compiled or not.
        expected: what it is compared with.
        inputs: a tuple of positional arguments for both; copied, never changed.
        declared: the precision that `actual` is entitled to; by default that of the data.
        reference: a callable of better than working precision.
        keywords: keyword arguments for both.
        gradients: also compare gradients.
        seed: for the noise and for functions that draw random numbers.
        budget_s: the time in seconds, the verdict included. What would end after it is not begun; a verdict that is not reached in it (or
            in five seconds, where it is less) is undecided. The answer says what was left out.
        processes: whether settings that libraries read when they are loaded are tried too, in fresh processes side by side.
        progress: called with a few words before each step that takes time.

    Returns:
        An `Explanation`: `causes` (name, share, evidence, remedy), largest share first; empty with all that was tried in `experiments` where
        nothing explains. Print it for the whole answer.

    Raises:
        InputError: something that is not callable, an unknown precision, a budget that is no positive number.
        RunError: a function raised on the inputs.

    Numerics:
        A share is 1 - d'/d, where d is the rms difference in units of the sampled noise before and d' after the change; of several causes
        that are needed together, each has the share of what is left with all changes but its own. A cause of a difference beyond rounding is named if what is left is rounding by the whole judgment of `check`; a cause of rounding if every bit
        agrees.

    Example:
        >>> import torch
        >>> x, norm = torch.randn(8, 64), torch.nn.functional.layer_norm
        >>> found = explain(lambda x: norm(x, (64,), eps=1e-3), lambda x: norm(x, (64,)), (x,), processes=False)
        >>> found[0].name, round(found[0].share, 3)
        ('layer epsilon', 1.0)
    """
    if isinstance(budget_s, bool) or not isinstance(budget_s, (int, float)) or not budget_s > 0:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"Got budget_s={budget_s!r}. Needed: a positive number of seconds. Experiments stop when it runs out. Leave it out to use {BUDGET_S:g}."
        )
    require_runnable("`explain` changes one thing at a time and runs both sides again", {"actual": actual, "expected": expected})
    start = now()
    progress = progress or (lambda _: None)
    case = Case(actual, expected, inputs, declared=declared, reference=reference, keywords=keywords, gradients=gradients, seed=seed)
    gatherer = Gatherer(case, progress)
    deadline = case.deadline = Deadline(start + max(float(budget_s), VERDICT_S))
    try:
        result = judged(gatherer)
    except OutOfTime:
        note = f"No verdict was reached in {deadline.at - start:.3g} s, because running the functions takes too long."
        return Explanation(unfinished(gatherer, now() - start), (), (), complete=False, notes=(note,), seconds=now() - start)
    deadline.at = start + float(budget_s)
    compilation = compilation_of(actual)
    if result.verdict is Verdict.IDENTICAL and compilation is None:
        return Explanation(result, (), (), seconds=now() - start)
    laboratory = Laboratory(case, _noise(case, gatherer), result, deadline.at, progress=progress)
    found = (
        _in_time(laboratory, lambda: _of_compiled(laboratory, compilation, processes=processes)) if compilation is not None else _Answer()
    )
    if not found.causes and result.verdict is not Verdict.IDENTICAL:
        # What differs differs before compiling.
        on = laboratory if compilation is None else laboratory.on(case.with_function("actual", compilation.original))
        explained = _of_rounding if result.acceptable else _beyond_rounding
        other = _in_time(on, lambda: explained(on, processes=processes))
        found = dataclasses.replace(
            found,
            causes=other.causes,
            left=other.left,
            place=other.place,
            sensitivity=other.sensitivity,
            notes=(*found.notes, *other.notes),
        )
        laboratory = on
    notes = (
        (*found.notes, f"Left out because the time budget ran out: {', '.join(laboratory.left_out)}.")
        if laboratory.left_out
        else found.notes
    )
    return Explanation(
        result, tuple(found.causes), tuple(laboratory.experiments), found.left, place=found.place, stages=found.stages, nodes=found.nodes, sensitivity=found.sensitivity,
        complete=not laboratory.out_of_time, notes=notes, seconds=now() - start,
    )  # fmt: skip


def _in_time(laboratory: Laboratory, answer: Callable[[], _Answer]) -> _Answer:
    """The answer; an empty one where the time was over in a stage that has no part of an answer."""
    try:
        return answer()
    except OutOfTime:
        laboratory.stop("the rest of the step that was running")
        return _Answer()


@dataclass(frozen=True)
class _Answer:
    """What one way of explaining gave; the fields are those of `Explanation`."""

    causes: tuple[Cause, ...] = ()
    left: float | None = None
    place: Place | None = None
    stages: tuple[Any, ...] = ()
    nodes: tuple[Any, ...] = ()
    sensitivity: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def _of_compiled(laboratory: Laboratory, compilation: Compilation, *, processes: bool) -> _Answer:
    found = taken_apart(laboratory, compilation, processes=processes)
    return _Answer(found.causes, found.left_in_noise, stages=found.stages, nodes=found.nodes, notes=found.notes)


def _of_rounding(laboratory: Laboratory, *, processes: bool) -> _Answer:
    """Settings and orders that make every bit agree."""
    orders = order_causes(laboratory)
    causes, left = bits_found(laboratory)
    causes = told_once(causes, orders, exact=left == 0.0)
    if causes or not processes or laboratory.hurries(PROCESSES):
        return _Answer(tuple(causes), 0.0 if orders else left)
    return _in_fresh_processes(laboratory, NEARLY)


def _in_fresh_processes(laboratory: Laboratory, least: float) -> _Answer:
    """Settings that libraries read when they are loaded."""
    laboratory.progress("trying settings in fresh processes")
    fresh = turned_in_fresh_processes(laboratory, [knob for knob in knobs() if knob.needs_fresh_process])
    good = sorted((turned for turned in fresh.turned if turned.share >= least and turned.distance.alike), key=lambda turned: -turned.share)
    kept = {turned.knob.name: turned for turned in reversed(good)}
    acceptable = laboratory.result.acceptable is True
    causes = [_of_turned(turned, acceptable=acceptable) for turned in good if kept.get(turned.knob.name) is turned]
    return _Answer(tuple(causes), good[0].distance.rms if good else None, sensitivity=fresh.sensitivity, notes=fresh.notes)


def _of_turned(turned: Turned, *, acceptable: bool) -> Cause:
    other = "actual" if turned.side == "expected" else "expected"
    bits = (
        "every bit agrees"
        if not turned.distance.unequal
        else f"the remaining difference is {times_of(turned.distance.rms, 2)} what rounding causes"
    )
    touches = ", ".join(sorted(turned.knob.touches))
    remedy = no_remedy(turned.knob.detail, turned.side) if acceptable else turned.knob.remedy
    return Cause(
        turned.knob.name, SETTING, f"Computed with {turned.knob.detail}, `{turned.side}` agrees with `{other}`.", min(1.0, turned.share),
        evidence=(f"In a fresh process with this setting for `{turned.side}`, {bits}. The setting affects {touches}.",), remedy=remedy,
        confidence="high" if not turned.distance.unequal else "medium", side=turned.side, place="", reports=turned.knob.reports,
    )  # fmt: skip


def _noise(case: Case, gatherer: Gatherer) -> Noise | None:
    if gatherer.sampled is not None:
        return gatherer.sampled
    try:
        return noise_of(case)
    except (Exception, OutOfTime):  # a function whose noise can't be sampled is measured by the rounding of its results
        return None


def _beyond_rounding(laboratory: Laboratory, *, processes: bool) -> _Answer:
    """Formulas, arithmetic, memory and settings that make a difference beyond rounding vanish."""
    case, result = laboratory.case, laboratory.result
    direct = direct_causes(result)
    if direct and direct[0].kind == MEMORY and direct[0].confidence == "high":
        return _Answer((direct[0],), 0.0)
    place = _place(laboratory, case)
    laboratory.progress("listing what could be changed")
    suggested = suggestions(case)
    turned = [of_knob(knob, name, 1000 + place, beyond_rounding=True) for place, (knob, name) in enumerate(turnable(case))]
    laboratory.progress("changing one thing at a time")
    finer, turned = (
        [trial for trial in turned if trial.name == FINER],
        [trial for trial in turned if trial.name != FINER],
    )
    for trial in finer:
        if not laboratory.hurries("computing in another precision"):
            laboratory.make(trial)
    # A format that reproduces the error element by element is one cause already: two others would have to be better than that.
    reproduced = any(cause.confidence == "high" for cause in direct)
    search = Search(laboratory, suggested, turned, place, locating=lambda changed: _place(laboratory, changed))
    unseen = [own.side for own in suggested if not own.sees_calls]
    notes = (UNSEEN.format(" nor ".join(f"`{name}`" for name in unseen)),) if len(unseen) == 2 else ()
    found = search.run(most=1) if reproduced else search.run()
    if found is None and search.memory is not None:
        return _Answer((_of_memory(search.memory),), 0.0, place=place, notes=notes)
    causes = _causes(laboratory, found, search) if found is not None else []
    if direct and (found is None or not found.complete or found.by_size):
        causes = [*direct, *(cause for cause in causes if cause.name not in {one.name for one in direct})]
        return _Answer(tuple(causes), place=place, notes=notes)
    scaling = result.find("scaling")
    proved = scaling is not None and scaling.finding is Finding.STAYS  # no setting of a library is another formula
    if not causes and processes and not proved and not laboratory.hurries(PROCESSES):
        fresh = _in_fresh_processes(laboratory, PARTIAL)
        return dataclasses.replace(fresh, place=place, notes=(*notes, *fresh.notes))
    return _Answer(tuple(causes), None if found is None else found.left.rms, place=place, notes=notes)


SHARE_OF_TIME = 1 / 3
"""So much of the time that is left is given to finding the place; the rest is for what may be wrong there."""


def _place(laboratory: Laboratory, case: Case) -> Place | None:
    """Where the difference of a case begins, as `locate` finds it; None where the walk can't tell, or there is no time for it."""
    from ..origins.recorded_sides import walked

    laboratory.progress("locating")
    end = now() + SHARE_OF_TIME * laboratory.seconds_left()
    try:
        with quiet():
            return walked(case, ends=lambda: now() > end, progress=laboratory.progress).place
    except OutOfTime:
        laboratory.stop("finding the place")
    except Exception:  # a side that can't be recorded
        pass
    return None


def _of_memory(trial: Trial) -> Cause:
    return Cause(
        "uninitialized memory", MEMORY, f"The results of `{trial.side}` depend on where tensors lie in memory ({trial.place}).", 1.0,
        evidence=("Copying the results of these calls, which changes no number, removes the difference.",),
        remedy="look for torch.empty that is read before it is written, and for writes to views", confidence="medium", side=trial.side, place=trial.place,
    )  # fmt: skip


def _causes(laboratory: Laboratory, found: Found, search: Search) -> list[Cause]:
    """The causes that a search found, largest share first."""
    first = laboratory.error
    if len(found.outcomes) == 1:
        outcome = found.outcomes[0]
        share = 1.0 if found.by_size else max(0.0, outcome.share)
        return [_cause(search, found, outcome, share, [_experiment(outcome, first, by_size=found.by_size)])]
    try:
        alone = {id(outcome): _left_by(laboratory, found, outcome) for outcome in found.outcomes}
    except OutOfTime:
        laboratory.stop("measuring the share of each cause")
        shares = [max(0.0, outcome.share) for outcome in found.outcomes]
        evidence = [
            f"With {'both' if len(found.outcomes) == 2 else f'all {len(found.outcomes)}'} changes, the remaining difference is {times_of(found.left.rms, 2)} what rounding causes."
        ]
        return [_cause(search, found, outcome, share / (sum(shares) or 1.0), [*evidence]) for outcome, share in zip(found.outcomes, shares)]
    total = sum(alone.values()) or 1.0
    causes: list[Cause] = []
    for outcome in found.outcomes:
        own = alone[id(outcome)]
        rest = ", ".join(other.trial.name for other in found.outcomes if other is not outcome)
        evidence = [
            f"With {'both' if len(found.outcomes) == 2 else f'all {len(found.outcomes)}'} changes, the remaining difference is {times_of(found.left.rms, 2)} what rounding causes; before, the error was {first}.",
            (
                f"With only the other change{'s' if len(found.outcomes) > 2 else ''} ({rest}), the remaining difference is {times_of(own)} what rounding causes: this "
                "cause alone accounts for that much."
            ),
        ]
        causes.append(_cause(search, found, outcome, own / total, evidence))
    return sorted(causes, key=lambda cause: -cause.share)


def _left_by(laboratory: Laboratory, found: Found, outcome: Outcome) -> float:
    """What is left with every change but one."""
    return laboratory.distance_with([other.trial for other in found.outcomes if other is not outcome]).rms


def _rivals_in_words(found: Found) -> str:
    if found.rivals == 1:
        return f"The one other change that affects the results leaves {'as small' if found.as_good else 'a larger'} {'a ' if found.as_good else ''}difference."
    rest = "none leaves" if not found.as_good else f"{found.as_good} leave" if found.as_good > 1 else "one leaves"
    return f"Of {found.rivals} other changes that affect the results, {rest} as small a difference."


def _cause(search: Search, found: Found, outcome: Outcome, share: float, evidence: list[str]) -> Cause:
    trial = outcome.trial
    if found.held:
        evidence.append("This cause also holds on perturbed inputs and with another seed.")
    if found.rivals:
        evidence.append(_rivals_in_words(found))
    if not trial.written:
        evidence.append("The constant was fitted and isn't a value that people usually write, so the true cause may be something else.")
    if found.alike:
        names = ", ".join(dict.fromkeys(f"{trial.name} ({trial.detail})" for trial in found.alike))
        evidence.append(f"On these inputs, the difference is explained just as well by {names}.")
    if trial.known:
        evidence.append(f"Background: {trial.known}.")
    return Cause(
        trial.name,
        trial.kind,
        _statement(trial, others=len(found.outcomes) - 1),
        min(1.0, share),
        evidence=tuple(evidence),
        remedy=trial.remedy,
        confidence=_confidence(search, found, outcome),
        side=trial.side,
        place=trial.place,
        reports=trial.reports,
    )


def _confidence(search: Search, found: Found, outcome: Outcome) -> str:
    """How sure a cause is; see `Cause`."""
    trial = outcome.trial
    if not found.complete or not trial.written:
        return "low"
    # Of several causes each has a place of its own; the first of these is that of one of them.
    elsewhere = bool(trial.changes) and search.knows_place and not any(search.is_here(each.trial) for each in found.outcomes)
    is_one_number = outcome.distance.count == 1
    combines_any = len(found.outcomes) > 1 and any(each.trial.first_only for each in found.outcomes)
    return "medium" if combines_any or found.alike or found.by_size or found.held is None or is_one_number or elsewhere else "high"


def _statement(trial: Trial, *, others: int = 0) -> str:
    where = f" at {trial.place}" if trial.place and trial.place not in trial.detail else ""
    other = "actual" if trial.side == "expected" else "expected"
    together = f" together with the other change{'s' if others > 1 else ''}" if others else ""
    if trial.kind == SETTING:
        return f"Computed with {trial.detail}{together}, `{trial.side}` agrees with `{other}`."
    return f"With {trial.detail}{where}{together}, `{trial.side}` agrees with `{other}`."


def _experiment(outcome: Outcome, before: str, *, by_size: bool) -> str:
    trial = outcome.trial
    if by_size:
        return (
            f"With this change, the error of `{trial.side}` is as large as the other side's, and the remaining "
            "difference is within the rounding of the changed function."
        )
    bits = (
        "every bit agrees"
        if outcome.distance.unequal == 0
        else f"the remaining difference is {times_of(outcome.distance.rms, 2)} what rounding causes"
    )
    return f"With this change to `{trial.side}`, {bits}; before it, the error was {before}."
