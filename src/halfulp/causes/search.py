"""Which changes make the difference vanish? One at a time first, then sets of them, each member needed."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..cases import Case, OutOfTime
from ..cases.deadline import now
from ..differences import Leaf
from ..origins.place import Place
from ..verdicts import Verdict
from ..verdicts.evidence.finding import Finding
from ..words.stage import Stage
from .coverage import Coverage
from .edits import edits, gradients, trial_of
from .hypotheses import FORMULA, MEMORY, SETTING
from .laboratory import ELSEWHERE_VALUES, Laboratory, Outcome
from .scale import BOTH, Distance
from .trial import EVERY, Fitting, Suggestions, Trial, cheap_first, placebo

F = Finding

MOST_CAUSES = 3
"""So many changes are combined; more would explain anything."""
BEAM = 3
"""So many first changes are pursued where none is enough by itself."""
WORTHWHILE = 0.02
"""A change that takes away less than this share of the difference is no first step of several by its share: of two causes that don't hide each
other the larger makes about half of it. Where one hides the other, the values inside tell (`coverage.py`)."""
FEW = 12
"""So many constants are fitted without a sign that they matter; a fit takes some thirty runs."""
AS_GOOD = 2.0
"""Two changes that leave distances within this factor explain alike; what is left is rounding, and rounding redrawn differs so much."""
SUBSTANTIAL = 0.5
"""A change that explains takes away at least this share: a difference barely beyond rounding may drop below the limit by chance."""
PARTIAL = 0.99
"""The share that a single change of a call has to take away to be named where the rest stays unexplained: two digits, where what happens to
move results in the right direction takes away one."""
EDITS = 10_000
"""The rank of the first edit: after all that the catalog names."""
LISTING = 1 / 8
"""So much of the time that is left is given to listing the edits of a side."""
WATCHED = 200
"""So many edits are made once more to see what values they bring inside: as long as a second search at worst."""
PLACEBOS = 3
"""So many other constants are fitted to see whether any would do; a fit takes some thirty runs."""
LIKE_SIZE = 8.0
"""A change that loses digits errs as `actual` does if the sizes of their errors are within this factor: two orders of the same sum give
errors within 2 or 3, an algorithm of another kind orders of magnitude apart."""


@dataclass(frozen=True, eq=False)
class Found:
    """Changes that explain the difference.

    Attributes:
        outcomes: in the order in which they were found, each measured beside those before it.
        left: the distance with all of them. alike: other single changes that explain as much.
        complete: whether what is left is rounding. by_size: whether the error's size was compared and not its elements.
        held: whether they explain on other inputs and with another seed too; None where that could not be asked.
        rivals: how many other changes moved the results; as_good: how many of them leave as little.
    """

    outcomes: tuple[Outcome, ...]
    left: Distance
    alike: tuple[Trial, ...] = ()
    complete: bool = True
    by_size: bool = False
    held: bool | None = None
    rivals: int = 0
    as_good: int = 0


class Search:
    """Looks for changes that make a difference beyond rounding vanish.

    Args:
        laboratory: makes the trials. suggestions: what the calls of each side suggest. others: further trials (knobs).
        place: where the difference begins: the search starts there. None where that is not known.
        locating: finds the place where the difference of a case begins, to go on from there once a change is made.
    """

    def __init__(
        self,
        laboratory: Laboratory,
        suggestions: Sequence[Suggestions],
        others: Sequence[Trial],
        place: Place | None = None,
        locating: Callable[[Case], Place | None] = lambda _: None,
    ) -> None:
        self.laboratory = laboratory
        self._suggestions = suggestions
        self._locating = locating
        self._at = self._calls_at(place)
        self._edits: dict[frozenset[int], list[Trial]] = {}
        self._combines_any = False
        self._has_many = laboratory.before.count >= ELSEWHERE_VALUES  # so that no two changes fit all numbers by chance
        # Where the difference vanishes in exact arithmetic the formula is right: another one could only hide what loses digits.
        scaling = laboratory.result.find("scaling")
        is_right = scaling is not None and scaling.finding == F.VANISHES
        self.usable_formulas = not is_right
        usable = lambda trials: [trial for trial in trials if not (is_right and trial.kind == FORMULA)]
        self.general = usable([*cheap_first(trial for own in suggestions for trial in own.trials), *others])
        self.single = usable(list(cheap_first(trial for own in suggestions for trial in own.single)))
        self.fittings = [] if is_right else [fitting for own in suggestions for fitting in own.fittings]
        self._most = MOST_CAUSES
        self._idle: set[int] = set()  # changes that change no bit here, or don't run
        self._refuted: dict[int, Outcome] = {}  # outcomes that other inputs or the whole judgement spoke against
        self.memory: Trial | None = None

    def run(self, *, most: int = MOST_CAUSES) -> Found | None:
        """The changes, or None where nothing explains.

        Args:
            most: how many changes may be combined.
        """
        self._most = most
        outcomes, found = self._one_more((), self.laboratory.before)
        found = found or self._erring() or self._several((), outcomes) or self._together(outcomes)
        if found is None and self._has_many:
            self._combines_any = True
            found = self._several((), outcomes)
        return found or self._partly()

    def _one_more(self, applied: tuple[Outcome, ...], before: Distance) -> tuple[list[Outcome], Found | None]:
        """Every single change beside those applied, and the one among them that explains."""
        trials = tuple(outcome.trial for outcome in applied)
        outcomes: list[Outcome] = []
        stages = (
            self._here, self._every, self._fitted_here, self._edited, self._set, self._fitted_every, self._alone, self._fitted_alone,
        )  # fmt: skip
        for stage in stages:
            outcomes += list(stage(trials, before, tuple(outcomes)))
            found = self._accepted([outcome for outcome in outcomes if outcome.trial.written], applied)
            if found is not None and stage == self._here and found.outcomes[-1].trial.takes_from_actual:
                continue
            if found is not None or self.laboratory.hurries():
                return outcomes, found
        return outcomes, self._accepted(outcomes, applied)

    def _several(self, applied: tuple[Outcome, ...], outcomes: Sequence[Outcome]) -> Found | None:
        """Sets of changes, depth first along the most promising."""
        laboratory = self.laboratory
        if len(applied) + 1 >= self._most:
            return None
        usable = (outcome for outcome in outcomes if outcome.share >= WORTHWHILE and self._may_be_one_of_several(outcome.trial))
        promising = _distinct(sorted(usable, key=lambda outcome: (outcome.distance.rms, outcome.trial.rank)))[: BEAM if not applied else 1]
        inside = self._inside(applied, outcomes)
        for outcome in (*inside, *promising):
            if laboratory.hurries("looking for several causes"):
                return None
            laboratory.progress(f"looking for another cause besides {outcome.trial.name}")
            with self._from_there((*applied, outcome), any_follows=outcome in inside):
                further, found = self._one_more((*applied, outcome), outcome.distance)
                found = found or self._several((*applied, outcome), further)
            if found is not None:
                return found
        return None

    @contextlib.contextmanager
    def _from_there(self, applied: tuple[Outcome, ...], *, any_follows: bool) -> Generator[None]:
        """The search goes on from where the difference begins once changes are made.

        Args:
            applied: the changes. any_follows: whether any change may be the next: after one that sets values inside right.
        """
        before, combined_any = self._at, self._combines_any
        self._combines_any = combined_any or (any_follows and self._has_many)
        place = self._locating(self.laboratory.case_with([outcome.trial for outcome in applied]))
        if place is not None:
            self._at = self._calls_at(place)
        try:
            yield
        finally:
            self._at, self._combines_any = before, combined_any

    def _calls_at(self, place: Place | None) -> dict[str, set[int]]:
        return {own.side: own.at(place) if place is not None else set[int]() for own in self._suggestions}

    def _together(self, outcomes: Sequence[Outcome]) -> Found | None:
        """Two changes of one call where the difference begins, neither of which helps by itself: each, with every other change of that call."""
        if self._most == 1:
            return None
        laboratory = self.laboratory
        firsts = _distinct([outcome for outcome in outcomes if self._may_hide(outcome)])
        for outcome in firsts:
            if laboratory.hurries("combining two changes of one call"):
                return None
            laboratory.progress(f"looking for another cause in the same call as {outcome.trial.name}")
            applied, calls = (outcome.trial,), set(outcome.trial.changes)
            beside = [trial for trial in (*self.general, *self.single) if trial.kind == FORMULA and calls & set(trial.changes)]
            fittings = [fitting for fitting in self.fittings if calls & set(fitting.trial(fitting.fit.present).changes)]
            made = [
                *self._made(beside, applied, outcome.distance),
                *self._fit(fittings, applied, outcome.distance, (), only=True),
            ]
            found = self._accepted([other for other in made if other.trial.side == outcome.trial.side], (outcome,))
            if found is not None:
                return found
        return None

    def _may_be_one_of_several(self, trial: Trial) -> bool:
        """Whether a change is combined with others: what the catalog names first, then whatever was not fitted."""
        return not trial.first_only or (self._combines_any and not trial.fitted)

    def _may_hide(self, outcome: Outcome) -> bool:
        """Whether a change may be one of two of its call: one that the catalog names, and that changed something."""
        trial = outcome.trial
        is_named = trial.kind == FORMULA and not trial.fitted and not trial.first_only and trial.rank < EDITS
        return is_named and bool(outcome.touched) and self.is_here(trial)

    def _inside(self, applied: tuple[Outcome, ...], outcomes: Sequence[Outcome]) -> list[Outcome]:
        """The changes after which more values inside `expected` are inside `actual` too, most first: each sets something right."""
        laboratory = self.laboratory
        trials = [outcome.trial for outcome in applied]
        if any(trial.side != "expected" for trial in trials):
            return []
        laboratory.progress("comparing intermediate values")
        try:
            coverage = Coverage(laboratory.case)
            before = coverage.of(trials)
        except OutOfTime:
            laboratory.stop("comparing intermediate values")
            return []
        except Exception:  # a side that can't be watched
            return []
        gains: list[tuple[int, Outcome]] = []
        usable = [
            outcome
            for outcome in outcomes
            if outcome.trial.side == "expected"
            and outcome.trial.kind in (FORMULA, MEMORY)
            and self._may_be_one_of_several(outcome.trial)
            and outcome.touched
        ]
        # What no catalog names is much: of that the simplest.
        listed = [outcome for outcome in usable if outcome.trial.rank < EDITS]
        usable = [*listed, *sorted((each for each in usable if each.trial.rank >= EDITS), key=lambda each: each.trial.rank)[:WATCHED]]
        for outcome in usable:
            if laboratory.hurries():
                break
            with contextlib.suppress(Exception, OutOfTime):
                gain = coverage.of([*trials, outcome.trial]) - before
                gains += [(gain, outcome)] if gain > 0 else []
        return [outcome for _, outcome in sorted(gains, key=lambda entry: (-entry[0], entry[1].trial.fitted, entry[1].trial.rank))[:BEAM]]

    def is_here(self, trial: Trial) -> bool:
        """Whether a change is made where the difference begins."""
        return not self._at[trial.side].isdisjoint(trial.changes)

    @property
    def knows_place(self) -> bool:
        """Whether the calls are known at which the difference begins."""
        return any(self._at.values())

    def _here(self, applied: tuple[Trial, ...], before: Distance, _: Sequence[Outcome]) -> Iterator[Outcome]:
        yield from self._made((trial for trial in (*self.general, *self.single) if self.is_here(trial)), applied, before)

    def _every(self, applied: tuple[Trial, ...], before: Distance, _: Sequence[Outcome]) -> Iterator[Outcome]:
        yield from self._made((trial for trial in self.general if not self.is_here(trial) and trial.kind != SETTING), applied, before)

    def _set(self, applied: tuple[Trial, ...], before: Distance, _: Sequence[Outcome]) -> Iterator[Outcome]:
        yield from self._made((trial for trial in self.general if trial.kind == SETTING), applied, before)

    def _alone(self, applied: tuple[Trial, ...], before: Distance, _: Sequence[Outcome]) -> Iterator[Outcome]:
        yield from self._made((trial for trial in self.single if not self.is_here(trial)), applied, before)

    def _fitted_here(self, applied: tuple[Trial, ...], before: Distance, outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
        yield from self._fit((fitting for fitting in self.fittings if self._fits_here(fitting)), applied, before, outcomes, only=True)

    def _edited(self, applied: tuple[Trial, ...], before: Distance, _: Sequence[Outcome]) -> Iterator[Outcome]:
        """The graph of each side edited where the difference begins; the first edit that explains ends it."""
        for outcome in self._made(self._edits_here(), applied, before):
            yield outcome
            if self.laboratory.scale.within(outcome.distance):
                return

    def _edits_here(self) -> list[Trial]:
        key = frozenset(number for numbers in self._at.values() for number in numbers)
        if key not in self._edits:
            self._edits[key] = self._listed() if self.usable_formulas else []
        return self._edits[key]

    def _listed(self) -> list[Trial]:
        found: list[Trial] = []
        if self.laboratory.case.gradients:
            for own in self._suggestions:
                found += [trial_of(edit, own.graph, own.side, EDITS + place) for place, edit in enumerate(gradients(own.graph))]
        if not self.knows_place:
            return found
        for own, other in itertools.permutations(self._suggestions, 2):
            end = now() + LISTING * self.laboratory.seconds_left()
            for place, edit in enumerate(edits(own.graph, other.graph, self._at[own.side], self._at[other.side])):
                if now() > end:  # of a program of very many calls the simplest edits are tried
                    break
                found.append(trial_of(edit, own.graph, own.side, EDITS + place))
        return sorted(found, key=lambda trial: trial.rank)

    def _fits_here(self, fitting: Fitting) -> bool:
        return self.is_here(fitting.trial(fitting.fit.present))

    def _fitted_every(self, applied: tuple[Trial, ...], before: Distance, outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
        yield from self._fit(
            (fitting for fitting in self.fittings if (fitting.scope == EVERY or self._is_only(fitting)) and not self._fits_here(fitting)),
            applied, before, outcomes,
        )  # fmt: skip

    def _fitted_alone(self, applied: tuple[Trial, ...], before: Distance, outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
        yield from self._fit(
            (fitting for fitting in self.fittings if fitting.scope != EVERY and not self._is_only(fitting) and not self._fits_here(fitting)),
            applied, before, outcomes,
        )  # fmt: skip

    def _is_only(self, fitting: Fitting) -> bool:
        """Whether it is the only fitting of its kind: the only call of that name."""
        own = fitting.trial(fitting.fit.present)
        same = [
            candidate
            for candidate in self.fittings
            if candidate.fit.name == fitting.fit.name and candidate.trial(candidate.fit.present).name == own.name
        ]
        return len(same) == 1

    def _made(self, trials: Iterable[Trial], applied: tuple[Trial, ...], before: Distance) -> Iterator[Outcome]:
        every = list(trials)
        for place, trial in enumerate(every):
            if self.laboratory.hurries("changing one thing at a time"):
                return
            if place % 20 == 0:
                left = self.laboratory.seconds_left()
                words = f"changing one thing at a time: {place} of {len(every)}, at most {left:.0f} s left"
                self.laboratory.progress(Stage(words, place, len(every)))
            if trial.errs or not _goes_with(trial, applied) or (applied and not self._may_be_one_of_several(trial)):
                continue
            if applied and id(trial) in self._idle:
                continue
            outcome = self.laboratory.make(trial, applied, before)
            if not applied and (outcome is None or not outcome.touched):
                self._idle.add(id(trial))
            if outcome is not None:
                yield outcome

    def _fit(
        self, fittings: Iterable[Fitting], applied: tuple[Trial, ...], before: Distance, outcomes: Sequence[Outcome], *, only: bool = False
    ) -> Iterator[Outcome]:
        """Constants whose usual other values took something away, or of which there is but one kind of call; `only`: all of them."""
        helped = {(outcome.trial.name, frozenset(outcome.trial.changes)) for outcome in outcomes if outcome.share > WORTHWHILE}
        chosen = list(fittings)
        few = len(chosen) <= FEW
        for fitting in chosen:
            trial = fitting.trial(fitting.fit.present)
            if self.laboratory.hurries() or not _goes_with(trial, applied):
                continue
            # A fitted constant that is no usual cause may end a set if nothing else there was fitted and somebody would write it.
            must_be_written = bool(applied) and not self._may_be_one_of_several(trial)
            if must_be_written and not (self._combines_any and self.is_here(trial) and not any(earlier.fitted for earlier in applied)):
                continue
            if (
                not few
                and not only
                and fitting.scope != EVERY
                and not self._is_only(fitting)
                and (trial.name, frozenset(trial.changes)) not in helped
            ):
                continue
            outcome = self.laboratory.fitted(fitting, applied, before)
            if outcome is not None and (outcome.trial.written or not must_be_written):
                yield outcome

    def _accepted(self, outcomes: Sequence[Outcome], applied: tuple[Outcome, ...]) -> Found | None:
        """The change that leaves least, if what is left is rounding, on other inputs too, and the whole judgement agrees."""
        laboratory = self.laboratory
        within = [
            outcome
            for outcome in outcomes
            if laboratory.scale.may_be_within(outcome.distance) and outcome.share >= SUBSTANTIAL and id(outcome) not in self._refuted
        ]
        within.sort(key=lambda outcome: outcome.distance.rms)
        # A setting of `actual` that gives it the missing bits comes before one that takes them from `expected`, to the last one though it may.
        is_coarse = laboratory.result.verdict is Verdict.REDUCED_PRECISION
        own = [outcome for outcome in within if is_coarse and outcome.trial.side == "actual" and outcome.trial.kind == SETTING]
        while within:
            # What `actual` has too much may have a name of its own, and be rounded otherwise than what `expected` has without it.
            best = within[0]
            limit = max(AS_GOOD * best.distance.rms, BOTH if best.trial.takes_from_actual else 0.0)
            alike = [outcome for outcome in within if outcome.distance.rms <= limit or outcome in own]
            for outcome in sorted(alike, key=lambda outcome: (outcome not in own, _preference(outcome))):
                trials = (*(earlier.trial for earlier in applied), outcome.trial)
                held = laboratory.holds_elsewhere(trials, outcome.distance)
                if held is False or not laboratory.confirms(trials):
                    self._refuted[id(outcome)] = outcome
                    continue
                if self._is_placebo(outcome, applied):
                    self.memory = outcome.trial
                    return None
                return self._needed(self._found(outcome, applied, alike, held))
            # What fits best by chance is refuted; what leaves a little more may be right.
            within = [outcome for outcome in within if outcome not in alike]
        return None

    def _found(self, outcome: Outcome, applied: tuple[Outcome, ...], alike: Sequence[Outcome], held: bool | None) -> Found:
        """A change that was accepted, with the others that do as much."""
        before = tuple(earlier.trial for earlier in applied)
        others = [rival for rival in alike if rival.trial.name != outcome.trial.name and id(rival) not in self._refuted]
        if outcome.trial.fitted and not applied:
            others += self._fitted_elsewhere(outcome)
        # Changes of one place that do the same on all inputs are one cause in other words.
        others = [rival for rival in others if not (self.is_here(outcome.trial) and self.is_here(rival.trial))]
        others = [rival for rival in others if self._holds_too((*before, rival.trial), rival)]
        rivals, as_good = self._counted(outcome)
        alternatives = tuple(rival.trial for rival in others)
        return Found((*applied, outcome), outcome.distance, alternatives, held=held, rivals=rivals, as_good=as_good)

    def _holds_too(self, trials: Sequence[Trial], rival: Outcome) -> bool:
        """Whether a change that explains alike does so on other inputs too."""
        return self.laboratory.holds_elsewhere(trials, rival.distance) is not False

    def _fitted_elsewhere(self, outcome: Outcome) -> list[Outcome]:
        """Other constants whose fit explains as well: where one does, any number could be fitted."""
        laboratory, found = self.laboratory, list[Outcome]()
        others = [fitting for fitting in self.fittings if not set(fitting.trial(fitting.fit.present).changes) & set(outcome.trial.changes)]
        for fitting in others[:PLACEBOS]:
            if laboratory.hurries():
                break
            rival = laboratory.fitted(fitting)
            if rival is not None and rival.distance.rms <= max(AS_GOOD * outcome.distance.rms, laboratory.scale.limit):
                found.append(rival)
        return found

    def _counted(self, outcome: Outcome) -> tuple[int, int]:
        """How many changes of another kind moved the results, and how many of those leave as little."""
        least = max(AS_GOOD * outcome.distance.rms, BOTH)
        kinds: dict[tuple[str, str, str], bool] = {}
        for experiment in self.laboratory.experiments:
            if experiment.touched and experiment.in_noise is not None and experiment.name != outcome.trial.name:
                key = (experiment.name, experiment.side, experiment.place)
                kinds[key] = kinds.get(key, False) or experiment.in_noise <= least
        return len(kinds), sum(kinds.values())

    def _is_placebo(self, outcome: Outcome, applied: tuple[Outcome, ...]) -> bool:
        """Whether copying the results of the same calls does as much."""
        trial = outcome.trial
        if not trial.changes:
            return False
        try:
            distance = self.laboratory.distance_with((*(outcome.trial for outcome in applied), placebo(trial)))
        except OutOfTime:
            self.laboratory.stop("checking whether a change acts through what it computes or only through where its results lie in memory")
            return False
        except Exception:
            return False
        return self.laboratory.scale.within(distance) and distance.share_gone(self.laboratory.before) >= SUBSTANTIAL

    def _needed(self, found: Found) -> Found:
        """The same without changes that are not needed."""
        kept = list(found.outcomes)
        for outcome in list(kept):
            rest = [rival for rival in kept if rival is not outcome]
            try:
                if rest and self.laboratory.scale.within(self.laboratory.distance_with([outcome.trial for outcome in rest])):
                    kept = rest
            except OutOfTime:
                self.laboratory.stop("asking whether each of several changes is needed")
                break
        return replace(found, outcomes=tuple(kept), alike=found.alike if len(kept) == 1 else ())

    def _erring(self) -> Found | None:
        """A change that loses digits as `actual` does: errors of like size, accepted by a judgement that knows its noise."""
        laboratory = self.laboratory
        scaling = laboratory.result.find("scaling")
        if scaling is not None and scaling.finding == F.STAYS:
            return None  # what is there in exact arithmetic too is no loss of digits
        fitting: list[tuple[float, Outcome]] = []
        for trial in (*self.general, *self.single):
            if not trial.errs or trial.side != "expected" or laboratory.hurries():
                continue
            outcome = laboratory.make(trial)
            if outcome is None:
                continue
            ratio = self._size_ratio(outcome.outputs)
            if ratio is not None and 1 / LIKE_SIZE <= ratio <= LIKE_SIZE:
                fitting.append((abs(math.log(ratio)) if outcome.share < SUBSTANTIAL else -outcome.share, outcome))
        for _, outcome in sorted(fitting, key=lambda entry: entry[0]):
            if laboratory.confirms((outcome.trial,)):
                others = tuple(rival.trial for _, rival in fitting if rival.trial.name != outcome.trial.name)
                return Found((outcome,), outcome.distance, others, by_size=outcome.share < SUBSTANTIAL)
        return None

    def _size_ratio(self, outputs: tuple[Leaf, ...]) -> float | None:
        """The size of the error of the outputs over that of `actual`; None where special values lie elsewhere."""
        noise = self.laboratory.noise
        if noise is None:
            return None
        own = {leaf.path: leaf for leaf in outputs}
        actual_squares = other_squares = 0.0
        for leaf in self.laboratory.native["actual"]:
            other, known = own.get(leaf.path), noise.leaves.get(leaf.path)
            if other is None or known is None or leaf.format is None or other.shape != leaf.shape:
                return None
            left, right = leaf.float64(), other.float64()
            if not np.array_equal(np.isfinite(left), np.isfinite(right)):
                return None
            with np.errstate(invalid="ignore"):
                usable = np.isfinite(left) & np.isfinite(known.reference)
                actual_squares += float(np.sum(np.where(usable, left - known.reference, 0.0) ** 2))
                other_squares += float(np.sum(np.where(usable, right - known.reference, 0.0) ** 2))
        if not actual_squares:
            return 1.0 if not other_squares else None
        return math.sqrt(other_squares / actual_squares) if other_squares else None

    def _partly(self) -> Found | None:
        """The single change that takes away nearly everything, where the rest stays unexplained."""
        shares = {
            (experiment.name, experiment.detail, experiment.side, experiment.place): experiment.share or 0.0
            for experiment in self.laboratory.experiments
        }
        usable = [
            item
            for item in (*self.general, *self.single)
            if not item.errs and not item.first_only and not item.fitted and item.kind in (FORMULA, MEMORY)
        ]
        usable = [item for item in usable if item.changes and shares.get((item.name, item.detail, item.side, item.place), 0.0) >= PARTIAL]
        if not usable or self.laboratory.out_of_time:
            return None
        best = max(usable, key=lambda item: shares[item.name, item.detail, item.side, item.place])
        outcome = self.laboratory.make(best)
        if outcome is None or self.laboratory.holds_elsewhere((best,), outcome.distance) is False:
            return None
        return Found((outcome,), outcome.distance, complete=False)


def _goes_with(trial: Trial, applied: Sequence[Trial]) -> bool:
    """Whether a change may stand beside others: the same changed or left out in both sides would turn the question into another."""
    if trial.changes and any(earlier.renumbers and earlier.side == trial.side for earlier in applied):
        return False
    # Two edits of one side may be two mistakes; with one of each side, or with three, anything becomes like anything.
    edits = [earlier for earlier in applied if earlier.first_only]
    if trial.first_only and (len(edits) > 1 or any(earlier.side != trial.side for earlier in edits)):
        return False
    others = (earlier for earlier in applied if earlier.side != trial.side and trial.kind == earlier.kind == FORMULA)
    turned = any(
        earlier.name == trial.name or earlier.calls & trial.calls or (earlier.leaves_out and trial.leaves_out) for earlier in others
    )
    return not turned and not any(trial.same_change(earlier) for earlier in applied)


def _preference(outcome: Outcome) -> tuple[bool, bool, bool, int, float]:
    """What is named where changes explain alike.

    The catalog before edits, the general before the particular, what `actual` does before what it doesn't do, then the catalog's order.
    """
    trial = outcome.trial
    return (trial.rank >= EDITS, trial.scope != EVERY, trial.side != "expected", trial.rank, outcome.distance.rms)


def _distinct(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The best outcome of each cause at each place; a fitted constant beside a usual one, since a fit makes up for other causes."""
    kept: list[Outcome] = []
    for outcome in outcomes:
        same = (outcome.trial.same_change(rival.trial) and outcome.trial.fitted == rival.trial.fitted for rival in kept)
        if not any(same):
            kept.append(outcome)
    return kept
