"""The walk: through the ops of `expected` in order, each replayed on the numbers that `actual` had there.

For every value of `expected` the walk keeps what stands for it in `actual`: a value that was recorded, or a prediction where `actual` has
none (its op is fused there, or compiled). An op's formula on these gives what `actual` should have got; a recorded value of `actual`
within rounding of that is the counterpart, whatever it is called. So nothing has to match by name, and what an op adds is measured apart
from what it inherited.

Where the value that should be the counterpart is further away than rounding, it is a *suspect*, and two versions are carried on: the
prediction, and the suspect. What `actual` computed later follows from one of them. If from the prediction, the suspect was something else
and is cleared; if from the suspect, and to the end, then that is what `actual` computed, and the difference was added there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..differences.excess import Tally
from ..floats import FORMATS, Format
from ..ops import bounded
from ..ops.arithmetic import Array, Exact
from ..ops.deviation import MAGNIFIED
from ..ops.evaluation import NotReplayed, Unknown
from ..ops.formulas import formula_of
from ..traces import Step, Trace
from ..traces.roles import Role
from ..verdicts.verdict import Verdict
from ..words.numbers import counted
from .addition import Addition, addition_of, beyond_everything, judged
from .alignment import Alignment
from .chain import Chain
from .collectives import Peers
from .counterpart import MatchedBy
from .evidence import LOOSENINGS, Compared, Reason, reason_of
from .leaves import Leaves
from .ledger import Ledger, Suspect, SuspectState, Walk
from .origin import Parts
from .slices import cut_of, is_large, parts_of
from .values import Values
from .versions import Evaluation, Fallback, Loosened, Version, in_shape

NEAR = 0.5
"""A value further than half of its size from the prediction is no nearer than chance would have it (unrelated tensors: 1.4) and is
proposed by its name only."""

NEAREST = 6
"""How many near values are tried: bounds the work. The nearest one is the right one unless copies of it lie beside it."""

FARTHER = 4.0
"""A value that is four times farther (rms) from what suspects lead to than from the prediction does not come from them: if it did, its own
error would have to undo three quarters of theirs."""

MOST_AXES = 5
"""Axes are tried in all orders up to so many: 120 orders."""

SHOWN_REFUSALS = 3
"""Ops that were not replayed are named up to so many; a note is a line."""


NORMWISE = "no element is off by more than an ulp of the largest one"
"""What is noted of an error in small elements alone: an exponential or a sigmoid of a library that is accurate where it is large."""


def _is_normwise(actual: Array, prediction: Array, format: Format) -> bool:
    if actual.dtype.kind not in "fc" or prediction.shape != actual.shape:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        worst, largest = np.max(np.abs(actual - prediction), initial=0.0), np.max(np.abs(prediction), initial=0.0)
    return bool(worst <= 2.0 * format.unit_roundoff * largest)


@dataclass(frozen=True)
class _Fit:
    """A candidate, how it was proposed, and how far it is from what an evaluation predicts."""

    number: int
    how: MatchedBy
    numbers: Array
    addition: Addition


class Walker:
    """Walks two traces.

    Args:
        actual, expected: traces with elements.
        alignment: of the two. declared: the format that `actual` is entitled to; None for that of each result.
        fallback: replays an op that has no formula (PyTorch's own in float64); None where there is no PyTorch.
        progress: called with the step and how many there are.
        peers: what other ranks of a distributed run contribute; None for a run of one process.
        ends: asked before each op whether to end there; None to walk to the end.
    """

    def __init__(
        self,
        actual: Trace,
        expected: Trace,
        alignment: Alignment,
        *,
        declared: Format | None = None,
        fallback: Fallback | None = None,
        progress: Callable[[int, int], None] | None = None,
        peers: Peers | None = None,
        ends: Callable[[], bool] | None = None,
    ) -> None:
        self._peers, self._ends = peers, ends
        self.actual, self.expected, self.alignment = actual, expected, alignment
        self.declared, self.fallback, self._progress = declared, fallback, progress
        self.expected_values, self.actual_values = Values(expected), Values(actual)
        self.ledger = Ledger(actual, expected, self.expected_values)
        self.found = self.ledger.found
        formats = {self.format_of(value.number).name for value in expected.values if value.dtype in FORMATS}
        self.amplitude = MAGNIFIED if formats == {"float64"} else 1.0
        self.tests = max(1, sum(any(n is not None and expected.values[n].hash for n in step.outputs) for step in expected.steps))
        self._versions: dict[int, Version] = {}
        self._unseen: set[int] = set()
        self._not_replayed: list[str] = []
        self.loosened = Loosened()
        self._leaves = Leaves(self)
        self._last_use = {number: step.index for step in expected.steps for number in step.inputs}
        self._read = {number for step in expected.ops for number in step.inputs} | set(expected.named.values())

    def run(self) -> Walk:
        """Walk to the end, or until interrupted."""
        with bounded.limited(self.actual, self.expected):
            return self._run()

    def _run(self) -> Walk:
        ops = self.expected.ops
        place = 0
        try:
            for place, step in enumerate(ops):
                if self._ends is not None and self._ends():
                    self._end_at(place, len(ops))
                    break
                if self._progress is not None:
                    self._progress(place, len(ops))
                self._visit(step)
                self._forget(step)
        except KeyboardInterrupt:
            self._end_at(place, len(ops))
        if self._not_replayed:
            shown = list(dict.fromkeys(self._not_replayed))
            more = f"; and {len(shown) - SHOWN_REFUSALS} more" if len(shown) > SHOWN_REFUSALS else ""
            self.found.notes.append(
                "some ops were not recomputed here, so the recorded values of `actual` were used: "
                f"{'; '.join(shown[:SHOWN_REFUSALS])}{more}"
            )
        for suspect in self.found.suspects.values():
            # What nothing spoke against is what it is called: a result, or the result of the same module.
            if suspect.state == SuspectState.OPEN and suspect.how.is_by_name:
                suspect.state = SuspectState.RIGHT
        for suspect in [suspect for key, suspect in self.found.suspects.items() if key < 0]:
            # A parameter may differ because something else differs too, and makes up for it (a normalization folded into a convolution).
            beside = [other for key, other in self.found.suspects.items() if key >= 0 and other.step is suspect.step]
            if beside and all(suspect.state == SuspectState.CLEARED for suspect in beside):
                suspect.state = SuspectState.CLEARED
        self.found.points = [self.ledger.final(point) for point in self.found.points]
        return self.found

    def _end_at(self, place: int, count: int) -> None:
        """The walk ends before its end."""
        self.found.complete = False
        self.found.notes.append(f"interrupted after {place} of {counted(count, 'op')}: later ops were not examined")

    def version_of(self, number: int) -> Version:
        """What stands for a value that was visited."""
        return self._versions[number]

    def counterpart_of(self, number: int) -> int | None:
        """The recorded value of `actual` that stands for a value; the suspect, where that turned out to be right."""
        suspect = self.found.suspects.get(number)
        if suspect is not None and suspect.stands:
            return suspect.candidate
        version = self._versions.get(number)
        return version.number if version is not None else None

    def is_lost(self, number: int) -> bool:
        """Whether a result was never compared: nothing in `actual` stands for it."""
        version = self._versions.get(number)
        return version is None or (version.number is None and not version.identical and number not in self.found.suspects)

    def is_seen(self, number: int) -> bool:
        """Whether `actual` has a value of `expected`, or both read it; what was suspected to be one and is none doesn't count."""
        suspect = self.found.suspects.get(number)
        return number not in self._unseen and (suspect is None or suspect.stands)

    def unseen_before(self, step: Step) -> list[Step]:
        """The ops before a step whose results `actual` does not have, back to values that both sides have; in order."""
        producers, found, waiting = self.expected.producers, dict[int, Step](), list(step.inputs)
        while waiting:
            number = waiting.pop()
            made_by = producers.get(number)
            if made_by is None or self.is_seen(number) or made_by.index in found:
                continue
            found[made_by.index] = made_by
            waiting += made_by.inputs
        return [found[index] for index in sorted(found) if any(self.expected.values[n].hash for n in found[index].outputs if n is not None)]

    def parts_before(self, step: Step) -> list[Step]:
        """The views of parameters that a step reads, or an op before it whose results `actual` lacks: which part is a choice, too."""
        producers, roles = self.expected.producers, {Role.PARAMETER, Role.BUFFER}
        read = [producers[number] for each in (*self.unseen_before(step), step) for number in each.inputs if number in producers]
        return [
            view
            for view in read
            if not any(self.expected.values[output].hash for output in view.outputs if output is not None)
            and any(self.expected.values[source].role in roles for source in view.inputs)
        ]

    def format_of(self, number: int) -> Format:
        """What a value is stored in: that of `expected`, or the coarser one that `actual` is entitled to."""
        own = FORMATS.get(self.expected.values[number].dtype, FORMATS["float32"])
        if self.declared is not None and self.declared.precision_bits < own.precision_bits:
            return self.declared
        return own

    def collective(self, step: Step, inputs: list[Array], fl: Exact) -> list[Array | None]:
        """What an op that combines ranks gives, with what the other ranks contribute.

        Raises:
            Unknown: their traces are not at hand.
        """
        if self._peers is None:
            raise Unknown(f"{step.op} needs the traces of all ranks")
        return self._peers.combined(step, inputs, fl)

    # One op

    def _visit(self, step: Step) -> None:
        if not any(output is not None and self._is_made_by(output, step) for output in step.outputs):
            return
        for number in step.inputs:
            if number not in self._versions:
                self._versions[number] = self._leaves.version(step, number)
        inputs = {number: self._versions[number] for number in step.inputs}
        if all(version.identical for version in inputs.values()) and self._identical(step, inputs):
            return
        main = Evaluation(self, step, inputs)
        others = {number: version.alternative or version for number, version in inputs.items()}
        alternative = Evaluation(self, step, others) if any(version.alternative for version in inputs.values()) else None
        if alternative is None and is_large(main) and self._settled_in_parts(main):
            return
        if alternative is None and self._is_plain_view(main):
            number = next(output for output in step.outputs if output is not None)
            self._versions[number] = Version(made_by=(main, step.outputs.index(number)))
            self._unseen.add(number)
            return
        self._judge_all(main, alternative)
        main.release()
        if alternative is not None:
            alternative.release()

    def _judge_all(self, main: Evaluation, alternative: Evaluation | None) -> None:
        """All outputs of an op: those that are predicted are judged, the others taken as they are."""
        step, why = main.step, "its formula does not define this output"
        predictions: list[Array | None] = [None] * len(step.outputs)
        try:
            predictions = main.exact()
        except Unknown as unknown:
            why = str(unknown)
            if isinstance(unknown, NotReplayed):
                self._not_replayed.append(why)
        try:
            if alternative is not None:
                alternative.exact()
        except Unknown:  # on the numbers of a suspect the op can't be replayed (an index that points elsewhere): nothing follows from them
            alternative = None
        for slot, (number, prediction) in enumerate(zip(step.outputs, predictions)):
            if number is None or not self._is_made_by(number, step):
                continue
            if prediction is not None and prediction.shape == self.expected.values[number].shape:
                self._judge(slot, number, main, alternative)
            elif not self.expected.values[number].elements:
                self._versions[number] = Version(identical=True)  # a place that this use of the op leaves empty
            elif number in self._read:
                self._give(step, slot, number, why)

    def _is_plain_view(self, main: Evaluation) -> bool:
        """Whether the only output is a view that no name vouches for: nothing to compare, nothing to compute yet."""
        outputs = [slot for slot, output in enumerate(main.step.outputs) if output is not None]
        if len(outputs) != 1 or not main.is_view(outputs[0]) or not main.is_plain or formula_of(main.step.name) is None:
            return False
        return not any(candidate.how.is_by_name for candidate in self.alignment.candidates(main.step, outputs[0]))

    def _settled_in_parts(self, main: Evaluation) -> bool:
        """A large result whose counterpart is where names say, within rounding: without having it in memory at once."""
        step = main.step
        slot, number = next((k, output) for k, output in enumerate(step.outputs) if output is not None)
        candidate = next(iter(self.alignment.candidates(step, slot)), None)
        shape = self.expected.values[number].shape
        if candidate is None or self.actual.values[candidate.number].shape != shape or not self.expected_values.known(number):
            return False
        tally, sums = Tally(self.format_of(number)), np.zeros(4)
        try:
            for part in parts_of(main):
                actual_part, expected_part = cut_of(self.actual_values, candidate.number, part), cut_of(self.expected_values, number, part)
                tally.add(actual_part, part.prediction, part.spread)
                with np.errstate(invalid="ignore", over="ignore"):
                    rests = (actual_part - expected_part, part.prediction - expected_part, actual_part - part.prediction, expected_part)
                    sums += [float(np.nansum(rest * rest)) for rest in rests]
        except Unknown:
            return False
        addition = addition_of(tally, self.tests)
        if not addition.within:
            return False
        total, inherited, added = (float(np.sqrt(item / sums[3])) if sums[3] else 0.0 for item in sums[:3])
        self.ledger.totals[number] = total
        self.found.matched.add(candidate.number)
        self._versions[number] = Version(candidate.number, identical=not total, made_by=(main, slot))
        verdict = Verdict.ROUNDING if addition.residual.rms else Verdict.IDENTICAL
        self.ledger.add(
            step, slot, candidate.how, candidate.number, verdict=verdict, parts=Parts(total, inherited, added), addition=addition
        )
        main.release()
        return True

    def _is_made_by(self, number: int, step: Step) -> bool:
        """Whether an output is new: an op may also hand through what it reads, or a view with the geometry of an earlier value."""
        return self.expected.producers.get(number) is step

    def _identical(self, step: Step, inputs: dict[int, Version]) -> bool:
        """The common case: the same bits went in and came out. Views of the same bits are the same bits."""
        found: list[tuple[int, int | None]] = []
        for slot, number in enumerate(step.outputs):
            if number is None or not self._is_made_by(number, step):
                continue
            value = self.expected.values[number]
            if not value.hash and value.elements:
                if value.is_complete:
                    return False
                if not all(self.same_numbers(anchor, number) for anchor in self._anchors(step, slot)):
                    return False
                found.append((number, None))
                continue
            same = self.alignment.same_bits(number)
            if same is None and value.elements:
                return False
            candidates = self.alignment.candidates(step, slot)
            places = dict.fromkeys([*(candidate.number for candidate in candidates[:1]), *self._anchors(step, slot)])
            if any(self.actual.values[place].hash not in ("", value.hash) for place in places):
                return False  # somewhere else are the same bits, but not where they belong
            found.append((number, next((place for place in places if self.actual.values[place].hash), same)))
        evaluation = Evaluation(self, step, inputs)
        for number, same in found:
            self._versions[number] = Version(same, identical=True, made_by=(evaluation, step.outputs.index(number)))
            if same is not None:
                self.found.matched.add(same)
                self.ledger.totals[number] = 0.0
                slot = step.outputs.index(number)
                self.ledger.add(step, slot, MatchedBy.SAME_BITS, same, verdict=Verdict.IDENTICAL)
        return True

    def _anchors(self, step: Step, slot: int) -> list[int]:
        """The values of `actual` that names vouch for: those of the op's own module, and of every module that hands its result on."""
        return [candidate.number for candidate in self.alignment.candidates(step, slot) if candidate.how.is_by_name]

    def same_numbers(self, actual_number: int, expected_number: int) -> bool:
        """Whether a value of `actual` has the numbers of one of `expected`; True where they can't be had."""
        try:
            expected_numbers, actual_numbers = self.expected_values.number(expected_number), self.actual_values.number(actual_number)
        except Unknown:
            return True
        return bool(np.array_equal(expected_numbers.reshape(-1), actual_numbers.reshape(-1), equal_nan=expected_numbers.dtype.kind in "fc"))

    def _judge(self, slot: int, number: int, main: Evaluation, alternative: Evaluation | None) -> None:
        """Find what stands for one output, and what the op added to it."""
        fits = list(self._fits(slot, number, main))
        settled = next((fit for fit in fits if fit.addition.within), None)
        if settled is not None:
            other = alternative is not None and self.addition_in(alternative, slot, number, settled.numbers).within
            if other and alternative is not None:
                self._harmless(alternative)
            self._settle(slot, number, settled, main, None if other else alternative)
            self._doubt(slot, number, settled, main)
            return None
        following = [*fits, *self._near_alternative(slot, number, main, alternative, {fit.number for fit in fits})]
        for evaluation, usable in ((alternative, following), *self._loosened(main, alternative, fits)):
            for fit in usable if evaluation is not None else ():
                assert evaluation is not None
                addition = self.addition_in(evaluation, slot, number, fit.numbers)
                if not addition.within:
                    continue
                if evaluation.assumes - main.assumes:
                    return self._follow(slot, number, replace(fit, addition=addition), main, evaluation)
                return self._settle(slot, number, replace(fit, addition=addition), main, None)
        self._unsettled(slot, number, fits, main, alternative)

    def _doubt(self, slot: int, number: int, settled: _Fit, main: Evaluation) -> None:
        """`actual` has what the op gives, but hands on something else under its name: ops were added after it."""
        prediction = main.exact()[slot]
        assert prediction is not None
        values = self.actual.values
        for candidate, how in self.alignment.candidates(main.step, slot):
            is_same = candidate == settled.number or (values[candidate].hash and values[candidate].hash == values[settled.number].hash)
            if not how.is_by_name or is_same:
                continue
            try:
                numbers = self.actual_values.number(candidate).reshape(prediction.shape)
            except Unknown:
                continue
            fit = _Fit(candidate, how, numbers, self.addition_in(main, slot, number, numbers))
            reason = None
            if not fit.addition.within:
                reason = reason_of(
                    Compared(self, main, slot, number, candidate=candidate, actual=numbers, addition=fit.addition, same=settled.number)
                )
            if reason is not None and reason.verdict is not Verdict.ROUNDING:
                made_by = self.actual.producers.get(candidate)
                where = self.alignment.in_expected(made_by.module) if made_by is not None else None
                self._versions[number].alternative = self._suspect(slot, number, fit, main, reason, main.assumes, where)
                return
            self.found.matched.add(candidate)
            parts = self.ledger.parts(number, numbers, prediction)
            self.ledger.add(
                main.step, slot, how, candidate, verdict=Verdict.ROUNDING, parts=parts, addition=fit.addition,
                note=reason.text if reason is not None else "",
            )  # fmt: skip

    def _suspect(
        self, slot: int, number: int, fit: _Fit, main: Evaluation, reason: Reason, before: frozenset[int], module: str | None = None
    ) -> Version:
        """A version that takes the candidate for right, beside the suspects before that led to it; `module` where it is not the op's."""
        prediction = main.exact()[slot]
        parts = self.ledger.parts(number, fit.numbers, prediction)
        assert prediction is not None
        normwise = [NORMWISE] if _is_normwise(fit.numbers, prediction, self.format_of(number)) else []
        point = self.ledger.add(
            main.step,
            slot,
            fit.how,
            fit.number,
            verdict=reason.verdict,
            parts=parts,
            addition=fit.addition,
            note="; ".join(filter(None, (reason.text, *normwise))),
            module=module,
        )
        self.found.suspects[number] = Suspect(main.step, slot, number, fit.number, point=point, addition=fit.addition, how=fit.how)
        return Version(fit.number, made_by=(main, slot), assumes=before | {number})

    def _loosened(self, main: Evaluation, alternative: Evaluation | None, fits: list[_Fit]) -> Iterator[tuple[Evaluation, list[_Fit]]]:
        """For values of `actual` that were computed from others than those taken for the inputs: these may be neighbors."""
        sources = main.sources() | (alternative.sources() if alternative is not None else set[int]())
        bits = {self.actual.values[source].hash for source in sources} - {""}
        chains = {fit.number: Chain(self, fit.number) for fit in fits}
        doubtful = [fit for fit in fits if not chains[fit.number].starts_from(sources, bits)]
        evaluations = [evaluation for evaluation in (main, alternative) if evaluation is not None]
        for _ in range(LOOSENINGS if doubtful else 0):
            evaluations = [evaluation.loosened() for evaluation in evaluations]
            for evaluation in evaluations:
                yield evaluation, doubtful

    def _unsettled(self, slot: int, number: int, fits: list[_Fit], main: Evaluation, alternative: Evaluation | None) -> None:
        """No value of `actual` is what is predicted: carry the prediction on, and the value that should have been it as a suspect."""
        step = main.step
        chosen = next((fit for fit in fits if not fit.how.is_guessed), None) or next(iter(fits), None)
        if alternative is not None and chosen is not None and chosen.how.is_guessed:
            # Beside suspects a guess alone makes no further one: it would spoil those that names, or what followed from them, vouch for.
            chosen = None if not self.alignment.is_foreign or self._is_confirmed(alternative) else chosen
        if chosen is not None and alternative is not None and chosen.how is not MatchedBy.PLACE:
            other = self.addition_in(alternative, slot, number, chosen.numbers)
            if chosen.addition.residual.rms * FARTHER < other.residual.rms:  # whatever it adds itself, it does not come from the suspects
                self._refute(alternative)
                alternative = None
        predicted = main.version(slot)
        if alternative is not None and alternative.exact()[slot] is not None:
            predicted.alternative = alternative.version(slot)
        prediction = predicted.exact
        assert prediction is not None
        if chosen is None:
            self._unseen.add(number)
            if not main.is_view(slot):
                self.ledger.add(step, slot, MatchedBy.NONE, parts=self.ledger.parts(number, None, prediction))
        else:
            reason = reason_of(Compared(self, main, slot, number, candidate=chosen.number, actual=chosen.numbers, addition=chosen.addition))
            if reason.verdict is Verdict.ROUNDING:
                return self._settle(slot, number, chosen, main, None, reason)
            predicted.alternative = self._suspect(slot, number, chosen, main, reason, alternative.assumes if alternative else frozenset())
        self._versions[number] = predicted

    def _is_confirmed(self, alternative: Evaluation) -> bool:
        """Whether something that `actual` computed follows from the suspects that an evaluation assumes."""
        return any(suspect.stands for assume in alternative.assumes if (suspect := self.found.suspects.get(assume)) is not None)

    def _fits(self, slot: int, number: int, main: Evaluation) -> Iterator[_Fit]:
        """Candidates with what they are off by: those that names propose, then near ones, until one is within rounding."""
        prediction = main.exact()[slot]
        assert prediction is not None
        tried: set[int] = set()
        for candidate, how in self._proposals(slot, number, main, prediction):
            if candidate in tried:
                continue
            tried.add(candidate)
            try:
                numbers = self.actual_values.number(candidate).reshape(prediction.shape)
            except Unknown:
                continue
            fit = _Fit(candidate, how, numbers, self.addition_in(main, slot, number, numbers))
            if not fit.addition.within and self._is_rearranged(fit, main, slot, number):
                continue
            if how.is_guessed and fit.addition.residual.nonfinite:
                continue  # a mask is no guess for what isn't one
            if (
                how == MatchedBy.VALUE
                and not fit.addition.within
                and (fit.addition.residual.relative > NEAR or self.alignment.is_of_later(main.step, candidate))
            ):
                continue
            yield fit
            if fit.addition.within:
                return

    def _near_alternative(
        self, slot: int, number: int, main: Evaluation, alternative: Evaluation | None, tried: set[int]
    ) -> Iterator[_Fit]:
        """Values near what follows from the suspects: what follows from a gross error is near nothing that was predicted."""
        prediction = alternative.exact()[slot] if alternative is not None else None
        if prediction is None or prediction.dtype.kind not in "fc" or main.is_view(slot):
            return
        for apart, candidate in self.alignment.near(number, prediction)[:NEAREST]:
            if apart > NEAR:
                return
            if candidate not in tried:
                numbers = self.actual_values.number(candidate).reshape(prediction.shape)
                yield _Fit(candidate, MatchedBy.VALUE, numbers, self.addition_in(main, slot, number, numbers))

    def _is_rearranged(self, fit: _Fit, main: Evaluation, slot: int, number: int) -> bool:
        """Whether a candidate holds what the op gives with its axes in another order: no other value, but none to go on with either."""
        prediction = main.exact()[slot]
        shape = self.actual.values[fit.number].shape
        if prediction is None or fit.how == MatchedBy.OUTPUT or shape == prediction.shape or sorted(shape) != sorted(prediction.shape):
            return False
        numbers = self.actual_values.number(fit.number).reshape(shape)
        for axes in itertools.permutations(range(len(shape))) if len(shape) <= MOST_AXES else ():
            if (
                tuple(shape[axis] for axis in axes) == prediction.shape
                and self.addition_in(main, slot, number, numbers.transpose(axes)).within
            ):
                return True
        return False

    def _proposals(self, slot: int, number: int, main: Evaluation, prediction: Array) -> Iterator[tuple[int, MatchedBy]]:
        is_view = main.is_view(slot)
        dtype = self.expected.values[number].dtype
        named = [candidate for candidate in self.alignment.candidates(main.step, slot) if not is_view or candidate.how.is_by_name]
        yield from sorted(named, key=lambda candidate: self.actual.values[candidate.number].dtype != dtype)
        same = self.alignment.same_bits(number)
        if same is not None:
            yield same, MatchedBy.SAME_BITS
        # A view of something that `actual` has is made of that; one of a prediction may be what `actual` has (a part of a fused product).
        if (not is_view or main.is_predicted) and prediction.dtype.kind in "fc":
            for apart, candidate in self.alignment.near(number, prediction)[:NEAREST]:
                if apart > NEAR:
                    break
                yield candidate, MatchedBy.VALUE
        if not is_view and prediction.dtype.kind in "fc":
            yield from ((candidate, MatchedBy.HINT) for candidate in self.alignment.hinted(main.step, slot)[:1])
            yield from ((candidate, MatchedBy.PLACE) for candidate in self.alignment.following(main.step, slot, self._reached())[:1])

    def _reached(self) -> int:
        """The last step of `actual` whose value stands for something, or may."""
        producers = self.actual.producers
        suspects = self.found.suspects.values()
        numbers = (*self.found.matched, *(suspect.candidate for suspect in suspects if suspect.state != SuspectState.CLEARED))
        return max((producers[number].index for number in numbers if number in producers), default=-1)

    def addition_in(self, evaluation: Evaluation, slot: int, number: int, actual: Array) -> Addition:
        """How far a value is from what an evaluation predicts."""
        try:
            prediction = evaluation.exact()[slot]
        except Unknown:
            prediction = None
        if prediction is None or prediction.shape != actual.shape:
            return beyond_everything(np.inf, 1.0)
        return judged(actual, prediction, evaluation.spread(slot), self.format_of(number), tests=self.tests)

    def _settle(
        self, slot: int, number: int, fit: _Fit, main: Evaluation, refuted: Evaluation | None, reason: Reason | None = None
    ) -> None:
        """The candidate is what the op gives: that is the counterpart. Suspects from which it does not follow are cleared."""
        if refuted is not None:
            self._refute(refuted)
        prediction = main.exact()[slot]
        assert prediction is not None
        self.found.matched.add(fit.number)
        expected_value, actual_value = self.expected.values[number], self.actual.values[fit.number]
        identical = bool(expected_value.hash) and actual_value.hash == expected_value.hash and actual_value.dtype == expected_value.dtype
        self._versions[number] = Version(fit.number, identical=identical, made_by=(main, slot), assumes=main.assumes)
        verdict = Verdict.IDENTICAL if fit.addition.residual.rms == 0.0 else Verdict.ROUNDING
        parts = self.ledger.parts(number, fit.numbers, prediction)
        self.ledger.add(
            main.step,
            slot,
            fit.how,
            fit.number,
            verdict=verdict,
            parts=parts,
            addition=fit.addition,
            note=reason.text if reason is not None else "",
        )

    def _refute(self, alternative: Evaluation) -> None:
        """Clear the suspects that an evaluation assumes."""
        for assume in alternative.assumes:
            suspect = self.found.suspects.get(assume)
            if suspect is not None and suspect.state != SuspectState.FINAL:
                suspect.state = SuspectState.CLEARED
            version = self._versions.get(assume)
            if version is not None:
                version.alternative = None

    def _harmless(self, alternative: Evaluation) -> None:
        """Clear what has infinities in other places where they change nothing in what reads it: a mask of large numbers for one of them."""
        for number in alternative.step.inputs:
            suspect = self.found.suspects.get(number)
            if suspect is not None and suspect.addition.residual.nonfinite and suspect.state != SuspectState.FINAL:
                suspect.state = SuspectState.CLEARED

    def _follow(self, slot: int, number: int, fit: _Fit, main: Evaluation, alternative: Evaluation) -> None:
        """The candidate follows from suspects, not from what was predicted: they are what `actual` computed, as far as is seen.

        A suspect that no name vouches for does not speak for itself: a view of it, or its normalization a second time, is that value again.
        """
        prediction = alternative.exact()[slot]
        assert prediction is not None
        suspects = [self.found.suspects[assume] for assume in alternative.assumes if assume in self.found.suspects]
        if not fit.how.is_by_name and any(suspect.candidate == fit.number for suspect in suspects):
            predicted = main.version(slot)
            predicted.alternative = Version(fit.number, made_by=(alternative, slot), assumes=alternative.assumes)
            self._versions[number] = predicted
            self._unseen.add(number)
            if not main.is_view(slot):
                self.ledger.add(main.step, slot, MatchedBy.NONE, parts=self.ledger.parts(number, None, predicted.exact))
            return
        self.found.matched.add(fit.number)
        for assume in alternative.assumes:
            suspect = self.found.suspects.get(assume)
            if suspect is not None and suspect.state == SuspectState.OPEN:
                suspect.state = SuspectState.RIGHT
        counterpart = Version(fit.number, made_by=(alternative, slot), assumes=alternative.assumes)
        if fit.how.is_by_name:  # names vouch for it: the prediction without the suspects need not be carried any further
            for index in alternative.assumes:
                if index in self.found.suspects:
                    self.found.suspects[index].state = SuspectState.FINAL
            self._versions[number] = replace(counterpart, assumes=frozenset())
        else:
            predicted = main.version(slot)
            predicted.alternative = counterpart
            self._versions[number] = predicted
        verdict = Verdict.IDENTICAL if fit.addition.residual.rms == 0.0 else Verdict.ROUNDING
        self.ledger.add(
            main.step,
            slot,
            fit.how,
            fit.number,
            verdict=verdict,
            parts=self.ledger.parts(number, fit.numbers, prediction),
            addition=fit.addition,
        )

    def _give(self, step: Step, slot: int, number: int, why: str) -> None:
        """What can't be predicted: take the value of `actual` as it is, and go on from there."""
        candidates = self.alignment.candidates(step, slot)
        same = self.alignment.same_bits(number)
        chosen = same if same is not None else candidates[0].number if candidates else None
        if chosen is None or not self.actual_values.known(chosen):
            # Lost: what reads it can't be predicted either, until something that is known by name comes.
            self._versions[number] = Version(identical=all(self._versions[source].identical for source in step.inputs))
            self.ledger.add(step, slot, MatchedBy.GIVEN, note=why)
            return
        self.found.matched.add(chosen)
        self._versions[number] = Version(chosen, identical=same is not None)
        total = 0.0
        if same is None and self.expected_values.known(number):
            numbers = in_shape(self.actual_values.number(chosen), self.expected.values[number].shape)
            total = self.ledger.parts(number, numbers, None)[0]
        self.ledger.totals[number] = total
        self.ledger.add(
            step,
            slot,
            MatchedBy.GIVEN,
            chosen,
            verdict=Verdict.IDENTICAL if same is not None else None,
            parts=Parts(total, total),
            note=why,
        )

    def _forget(self, step: Step) -> None:
        """Predictions that no later op reads need no memory; if one is asked for after all, it is computed again."""
        for number in (*step.inputs, *(output for output in step.outputs if output is not None)):
            version = self._versions.get(number)
            if version is not None and self._last_use.get(number, -1) <= step.index:
                for reading in (version, version.alternative):
                    if reading is not None and reading.made_by is not None:
                        reading.exact = reading.samples = None
