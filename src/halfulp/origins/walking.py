"""The walk: through the ops of `expected` in order, each replayed on the numbers that `actual` had there.

For every value of `expected` the walk keeps what stands for it in `actual`: a value that was recorded, or a prediction where `actual` has none (its op is
fused there, or compiled). An op's formula on these gives what `actual` should have got; a recorded value of `actual` within rounding of that is
the counterpart, whatever it is called. So nothing has to match by name, and what an op adds is measured apart from what it inherited.

Where the value that should be the counterpart is further away than rounding, it is a *suspect*. The next op that reads it decides: if that op's
result in `actual` follows from the suspect, the suspect is what `actual` computed, and the difference was added here. If it follows from the
prediction instead, the suspect was something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ..floats import FORMATS, Format
from ..floats.rounding import round_to_format
from ..traces import Step, Trace
from ..verdicts.verdict import Verdict
from .aligning import Alignment
from .arithmetic import EXACT, Array, Exact, Rounding
from .judging import SAMPLES, Excess, channels_of, excess_of, is_fast_convolution, reduced_precision, spread_of
from .origin import Point
from .replaying import Unknown, Values, evaluate

KEPT_BYTES = 256 << 20
"""Samples of one op that are kept while it is looked at; larger ones are computed again for each question."""

NEAR = 0.5
"""A value further than half of its size from the prediction is no nearer than chance would have it (unrelated tensors: 1.4) and is proposed by its
name only."""


@dataclass(eq=False)
class Version:
    """What stands for a value of `expected` in `actual`.

    Attributes:
        number: the recorded value of `actual`; None for a prediction.
        identical: it has the bits of `expected`.
        exact: the predicted numbers. samples: the prediction with rounding errors, several times; None without any.
        alternative: what stands for it if the suspects in `assumes` are right.
        assumes: values of `expected` whose suspects this version takes for true.
    """

    number: int | None = None
    identical: bool = False
    exact: Array | None = None
    samples: list[Array] | None = None
    alternative: Version | None = None
    assumes: frozenset[int] = frozenset()


@dataclass(eq=False)
class Suspect:
    """A value that is further from its prediction than rounding: the op, and what was measured."""

    step: Step
    slot: int
    number: int
    point: Point
    excess: Excess
    is_result: bool
    upstream: frozenset[int]
    state: str = "open"


@dataclass
class Walk:
    """Everything that the walk found: points in order, and the suspects that turned out to be right."""

    points: list[Point] = field(default_factory=list)
    suspects: dict[int, Suspect] = field(default_factory=dict)
    matched: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    complete: bool = True


class Walker:
    """Walks two traces.

    Args:
        actual, expected: traces with elements.
        alignment: of the two. declared: the format that `actual` is entitled to; None for that of each result.
        fallback: replays an op that has no formula (PyTorch's own in float64); None where there is no PyTorch.
        progress: called with the step and how many there are.
    """

    def __init__(
        self,
        actual: Trace,
        expected: Trace,
        alignment: Alignment,
        *,
        declared: Format | None = None,
        fallback: Callable[[Step, Callable[[int], Array], int | None], list[Array | None]] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.actual, self.expected, self.alignment = actual, expected, alignment
        self.declared, self._fallback, self._progress = declared, fallback, progress
        self.ours, self.theirs = Values(expected), Values(actual)
        self.found = Walk()
        self._versions: dict[int, Version] = {}
        self._totals: dict[int, float] = {}
        self._unseen: set[int] = set()
        self._last_use = {number: step.index for step in expected.steps for number in step.inputs}
        self._results = {*expected.named.values()} | {
            number for step in expected.steps if step.kind == "module" for number in step.outputs if number is not None
        }

    def run(self) -> Walk:
        """Walk to the end, or until interrupted."""
        ops = self.expected.ops
        try:
            for place, step in enumerate(ops):
                if self._progress is not None:
                    self._progress(place, len(ops))
                self._visit(step)
                self._forget(step)
        except KeyboardInterrupt:
            self.found.complete = False
            self.found.notes.append(f"interrupted after {place} of {len(ops)} ops: what comes later was not looked at")
        for suspect in self.found.suspects.values():
            # Nothing reads a result, so nothing can speak for another value: it is what it is called.
            if suspect.state == "open" and suspect.is_result:
                suspect.state = "right"
        return self.found

    def is_lost(self, number: int) -> bool:
        """Whether a result was never compared: nothing in `actual` stands for it."""
        version = self._versions.get(number)
        return version is None or (version.number is None and not version.identical and number not in self.found.suspects)

    def unseen_before(self, step: Step) -> list[Step]:
        """The ops before a step whose results `actual` does not have, back to values that both sides have; in order."""
        producers, found, open_ = self.expected.producers, dict[int, Step](), list(step.inputs)
        while open_:
            number = open_.pop()
            made_by = producers.get(number)
            if made_by is None or number not in self._unseen or made_by.index in found:
                continue
            found[made_by.index] = made_by
            open_ += made_by.inputs
        return [found[index] for index in sorted(found) if any(self.expected.values[n].hash for n in found[index].outputs if n is not None)]

    # Versions

    def _version(self, number: int) -> Version:
        known = self._versions.get(number)
        if known is None:
            known = self._versions[number] = self._leaf(number)
        return known

    def _leaf(self, number: int) -> Version:
        """A value that no op made: inputs are those of `actual`; parameters, buffers and constants those of `expected`.

        So a parameter that differs shows as something that the first op that reads it adds.
        """
        value = self.expected.values[number]
        same = self.alignment.same_bits(number)
        if same is not None:
            self.found.matched.add(same)
            return Version(same, identical=True)
        if value.role == "input":
            theirs = next((each for each in self.actual.values if each.role == "input" and each.name == value.name), None)
            if theirs is not None and theirs.shape == value.shape:
                self.found.matched.add(theirs.number)
                return Version(theirs.number)
        if value.role in ("parameter", "buffer"):
            self._note_leaf(number)
        return Version(identical=True)

    def _note_leaf(self, number: int) -> None:
        value = self.expected.values[number]
        for theirs in self.actual.values:
            if theirs.role == value.role and theirs.name == value.name and theirs.shape == value.shape and theirs.hash != value.hash:
                self.found.notes.append(f"{value.role} {value.name} differs between the two sides")
                return

    def numbers(self, number: int, version: Version) -> Array:
        """The numbers that stand for a value of `expected`, in its shape."""
        if version.number is not None:
            return self.theirs.number(version.number).reshape(self.expected.values[number].shape)
        if version.exact is not None:
            return version.exact
        return self.ours.number(number)

    # One op

    def _visit(self, step: Step) -> None:
        numbers = [each for each in step.outputs if each is not None]
        if not numbers:
            return
        inputs = [self._version(each) for each in step.inputs]
        if all(each.identical for each in inputs) and self._identical(step):
            return
        main = {number: version for number, version in zip(step.inputs, inputs)}
        evaluation = _Evaluation(self, step, main)
        try:
            predictions = evaluation.exact()
        except Unknown as unknown:
            self._given(step, str(unknown))
            return
        alternative: _Evaluation | None = None
        if any(each.alternative is not None for each in inputs):
            alternative = _Evaluation(self, step, {n: each.alternative or each for n, each in main.items()})
        for slot, (number, prediction) in enumerate(zip(step.outputs, predictions)):
            if number is None or number in step.inputs:
                continue
            if prediction is None or prediction.shape != self.expected.values[number].shape:
                self._give(step, slot, number, "its formula does not define this output")
            else:
                self._judge(step, slot, number, evaluation, alternative)

    def _identical(self, step: Step) -> bool:
        """The common case: the same bits went in and came out. Views of the same bits are the same bits."""
        found: list[tuple[int, int | None]] = []
        for slot, number in enumerate(step.outputs):
            if number is None or number in step.inputs:
                continue
            value = self.expected.values[number]
            if not value.hash and value.elements:
                if value.is_complete or self.expected.producers.get(number) is not step:
                    return False
                anchored = [each for each in self.alignment.candidates(step, slot) if each.how != "name"]
                if anchored and not self._same_numbers(anchored[0].number, number):
                    return False
                found.append((number, None))
                continue
            same = self.alignment.same_bits(number)
            if same is None and value.elements:
                return False
            for each in self.alignment.candidates(step, slot)[:1]:
                if self.actual.values[each.number].hash not in ("", value.hash):
                    return False  # somewhere else are the same bits, but not where they belong
            found.append((number, same))
        for number, same in found:
            self._versions[number] = Version(same, identical=True)
            if same is not None:
                self.found.matched.add(same)
                slot = step.outputs.index(number)
                self._totals[number] = 0.0
                self.found.points.append(self._point(step, slot, "same bits", same, Verdict.IDENTICAL, 0.0, 0.0, 0.0, 0.0, 0.0))
        return True

    def _same_numbers(self, theirs: int, ours: int) -> bool:
        try:
            mine, other = self.ours.number(ours), self.theirs.number(theirs)
        except Unknown:
            return True
        return bool(np.array_equal(mine.reshape(-1), other.reshape(-1), equal_nan=mine.dtype.kind in "fc"))

    def format_of(self, number: int) -> Format:
        """What a value is stored in: that of `expected`, or the coarser one that `actual` is entitled to."""
        own = FORMATS.get(self.expected.values[number].dtype, FORMATS["float32"])
        if self.declared is not None and self.declared.precision_bits < own.precision_bits:
            return self.declared
        return own

    def _judge(self, step: Step, slot: int, number: int, evaluation: _Evaluation, alternative: _Evaluation | None) -> None:
        """Find what stands for one output, and what the op added to it."""
        prediction = evaluation.exact()[slot]
        assert prediction is not None
        is_view = not self.expected.values[number].hash and prediction.size > 0
        candidates = [each for each in self.alignment.candidates(step, slot) if not is_view or each.how in ("output", "module")]
        spread: Array | None = None
        tried: set[int] = set()
        nearest: tuple[int, str, Excess] | None = None
        assumed = evaluation.assumed(alternative)

        for candidate, how in self._proposals(number, slot, prediction, candidates, is_view):
            if candidate in tried:
                continue
            tried.add(candidate)
            try:
                theirs = self.theirs.number(candidate).reshape(prediction.shape)
            except Unknown:
                continue
            if spread is None:
                spread = evaluation.spread(slot)
            excess = self._excess(step, number, slot, theirs, prediction, spread)
            if excess.within:
                self._settle(step, slot, number, candidate, how, theirs, prediction, excess, assumed, evaluation, alternative)
                return
            if alternative is not None and self._follows(alternative, step, slot, number, theirs):
                return self._confirm(step, slot, number, candidate, how, theirs, alternative)
            is_near = how != "value" or excess.relative < NEAR
            if is_near and (nearest is None or (nearest[1] == "value" and how != "value")):
                nearest = (candidate, how, excess)
        predicted = self._predicted(evaluation, slot, alternative)
        if nearest is not None:
            predicted = self._suspect(step, slot, number, *nearest, prediction, predicted, evaluation)
        elif not is_view:
            self.found.points.append(self._point(step, slot, "none", None, None, *self._parts(number, None, prediction), 0.0, 0.0))
        self._versions[number] = predicted
        if nearest is None:
            self._unseen.add(number)

    def _proposals(
        self, number: int, slot: int, prediction: Array, candidates: list[tuple[int, str]], is_view: bool
    ) -> Iterator[tuple[int, str]]:
        yield from candidates
        same = self.alignment.same_bits(number)
        if same is not None:
            yield same, "same bits"
        if not is_view and prediction.dtype.kind in "fc":
            for distance, candidate in self.alignment.near(number, prediction, self.theirs):
                if distance > NEAR:
                    return
                yield candidate, "value"

    def _excess(self, step: Step, number: int, slot: int, theirs: Array, prediction: Array, spread: Array) -> Excess:
        excess = excess_of(theirs, prediction, spread, self.format_of(number))
        if excess.within or excess.nonfinite:
            return excess
        if is_fast_convolution(step.name, excess, channels_of(theirs, prediction, spread)):
            return replace(excess, worst=1.0)
        own = self._own_excess(step, number, slot, spread)
        # What `expected` itself is off by counts as honest; twice that may be the other sign of it.
        return replace(excess, worst=excess.worst / max(1.0, 2.0 * own)) if own > 1.0 else excess

    def _own_excess(self, step: Step, number: int, slot: int, spread: Array) -> float:
        """How far `expected` is from its own formula: beyond rounding where the formula is not what its library computes."""
        try:
            evaluation = _Evaluation(self, step, {each: Version(identical=True) for each in step.inputs})
            prediction, mine = evaluation.exact()[slot], self.ours.number(number)
        except Unknown:
            return 0.0
        return 0.0 if prediction is None else excess_of(mine, prediction, spread, self.format_of(number)).worst

    def _follows(self, evaluation: _Evaluation, step: Step, slot: int, number: int, theirs: Array) -> bool:
        """Whether a value is within rounding of what an evaluation predicts."""
        prediction = evaluation.exact()[slot]
        if prediction is None or prediction.shape != theirs.shape:
            return False
        return self._excess(step, number, slot, theirs, prediction, evaluation.spread(slot)).within

    def _settle(
        self, step: Step, slot: int, number: int, candidate: int, how: str, theirs: Array, prediction: Array, excess: Excess,
        assumed: frozenset[int], evaluation: _Evaluation, alternative: _Evaluation | None,
    ) -> None:  # fmt: skip
        """The candidate is what the op gives: that is the counterpart, and suspects that say otherwise are cleared."""
        if assumed and alternative is not None and not self._follows(alternative, step, slot, number, theirs):
            for each in assumed:
                if self.found.suspects[each].state == "open":
                    self.found.suspects[each].state = "cleared"
                version = self._versions.get(each)
                if version is not None:
                    version.alternative = None
        self._take(step, slot, number, candidate, how, theirs, prediction, excess, Verdict.ROUNDING)

    def _confirm(self, step: Step, slot: int, number: int, candidate: int, how: str, theirs: Array, alternative: _Evaluation) -> None:
        """The candidate follows from suspects: they are what `actual` computed."""
        for each in alternative.assumes:
            suspect = self.found.suspects[each]
            if suspect.state == "open":
                suspect.state = "right"
            version = self._versions.get(each)
            if version is not None and version.alternative is not None:
                self._versions[each] = version.alternative
        prediction = alternative.exact()[slot]
        assert prediction is not None
        excess = self._excess(step, number, slot, theirs, prediction, alternative.spread(slot))
        self._take(step, slot, number, candidate, how, theirs, prediction, excess, Verdict.ROUNDING)

    def _take(
        self, step: Step, slot: int, number: int, candidate: int, how: str, theirs: Array, prediction: Array, excess: Excess, verdict: Verdict
    ) -> None:
        self.found.matched.add(candidate)
        identical = bool(self.expected.values[number].hash) and self.actual.values[candidate].hash == self.expected.values[number].hash
        self._versions[number] = Version(candidate, identical=identical)
        total, inherited, added = self._parts(number, theirs, prediction)
        verdict = Verdict.IDENTICAL if excess.error_rms == 0.0 and verdict is Verdict.ROUNDING else verdict
        self.found.points.append(
            self._point(step, slot, how, candidate, verdict, total, inherited, added, excess.rms_in_noise, excess.worst)
        )

    def _predicted(self, evaluation: _Evaluation, slot: int, alternative: _Evaluation | None) -> Version:
        version = evaluation.version(slot)
        if alternative is not None and alternative.assumes and alternative.exact()[slot] is not None:
            version.alternative = alternative.version(slot)
        return version

    def _suspect(
        self, step: Step, slot: int, number: int, candidate: int, how: str, excess: Excess, prediction: Array, predicted: Version,
        evaluation: _Evaluation,
    ) -> Version:  # fmt: skip
        theirs = self.theirs.number(candidate).reshape(prediction.shape)
        total, inherited, added = self._parts(number, theirs, prediction)
        named = reduced_precision(theirs, prediction, evaluation.coarse(slot), self.format_of(number)) if theirs.dtype.kind == "f" else None
        verdict = Verdict.MISTAKE if named is None else Verdict.REDUCED_PRECISION
        point = self._point(step, slot, how, candidate, verdict, total, inherited, added, excess.rms_in_noise, excess.worst, note=named or "")
        upstream = predicted.alternative.assumes if predicted.alternative is not None else frozenset[int]()
        self.found.suspects[number] = Suspect(step, slot, number, point, excess, how == "output", upstream)
        self.found.points.append(point)
        predicted.alternative = Version(candidate, assumes=frozenset((number,)))
        return predicted

    # Ops that can't be predicted

    def _given(self, step: Step, why: str) -> None:
        for slot, number in enumerate(step.outputs):
            if number is not None and number not in step.inputs:
                self._give(step, slot, number, why)

    def _give(self, step: Step, slot: int, number: int, why: str) -> None:
        """Take the value of `actual` as it is, and go on from there."""
        candidates = self.alignment.candidates(step, slot)
        same = self.alignment.same_bits(number)
        chosen = same if same is not None else candidates[0].number if candidates else None
        if chosen is None or not self.theirs.known(chosen):
            self._versions[number] = Version(identical=True)
            self.found.points.append(self._point(step, slot, "given", None, None, 0.0, 0.0, 0.0, 0.0, 0.0, note=why))
            return
        self.found.matched.add(chosen)
        self._versions[number] = Version(chosen, identical=same is not None)
        total = 0.0
        if same is None and self.ours.known(number):
            total = self._parts(number, self.theirs.number(chosen).reshape(self.expected.values[number].shape), None)[0]
        self._totals[number] = total
        verdict = Verdict.IDENTICAL if same is not None else None
        self.found.points.append(self._point(step, slot, "given", chosen, verdict, total, total, 0.0, 0.0, 0.0, note=why))

    # Numbers

    def _parts(self, number: int, theirs: Array | None, prediction: Array | None) -> tuple[float, float, float]:
        """Total, inherited and added difference, each rms over the rms of `expected`."""
        try:
            mine = self.ours.number(number)
        except Unknown:
            mine = prediction if prediction is not None else np.zeros(1)
        size = _rms(mine)
        inherited = _distance(prediction, mine) if prediction is not None else 0.0
        total = _distance(theirs, mine) if theirs is not None else inherited
        added = _distance(theirs, prediction) if theirs is not None and prediction is not None else 0.0
        total, inherited, added = (each / size if size else (0.0 if not each else float("inf")) for each in (total, inherited, added))
        self._totals[number] = total
        return total, inherited, added

    def _point(
        self, step: Step, slot: int, how: str, candidate: int | None, verdict: Verdict | None, total: float, inherited: float, added: float,
        in_noise: float, excess: float, *, note: str = "",
    ) -> Point:  # fmt: skip
        number = step.outputs[slot]
        made_by = self.actual.producers.get(candidate) if candidate is not None else None
        before = max((self._totals.get(each, 0.0) for each in step.inputs), default=0.0)
        phase = "buffer" if number is not None and self.expected.values[number].role == "buffer" else step.phase
        return Point(
            step.index, step.op, step.module, step.call, step.source, phase, slot, how, made_by.op if made_by is not None else "", verdict,
            total, inherited, added, in_noise, excess, total / before if before else None, note,
        )  # fmt: skip

    def _forget(self, step: Step) -> None:
        """Predictions that no later op reads need no memory."""
        for number in (*step.inputs, *(each for each in step.outputs if each is not None)):
            if self._last_use.get(number, -1) <= step.index:
                version = self._versions.get(number)
                if version is not None and version.exact is not None:
                    self._versions[number] = Version(identical=version.identical)


class _Evaluation:
    """One op on one choice of versions of its inputs: exact, and with rounding errors. Computed when asked for."""

    def __init__(self, walker: Walker, step: Step, versions: dict[int, Version]) -> None:
        self._walker, self._step, self._versions = walker, step, versions
        self.assumes: frozenset[int] = frozenset().union(*(each.assumes for each in versions.values()))
        self._inputs: dict[int, Array] = {}
        self._exact: list[Array | None] | None = None
        self._rounding: Rounding | None = None
        self._samples: dict[tuple[str, int], list[Array | None]] = {}

    def assumed(self, alternative: _Evaluation | None) -> frozenset[int]:
        """What the other evaluation takes for true and this one does not."""
        return frozenset() if alternative is None else alternative.assumes - self.assumes

    def exact(self) -> list[Array | None]:
        """The outputs without rounding.

        Raises:
            Unknown: the op has no formula, and PyTorch is not at hand.
        """
        if self._exact is None:
            self._exact = self._evaluated(self._input, None, EXACT)
        return self._exact

    def _input(self, number: int) -> Array:
        if number not in self._inputs:
            self._inputs[number] = self._walker.numbers(number, self._versions[number])
        return self._inputs[number]

    def _evaluated(self, number: Callable[[int], Array], sample: int | None, fl: Exact) -> list[Array | None]:
        try:
            return evaluate(self._step, number, fl)
        except Unknown:
            if self._walker.fallback is None:
                raise
            return self._walker.fallback(self._step, number, sample)

    def sample(self, k: int, slot: int) -> Array:
        """An output with the rounding errors of this op and of what its inputs were predicted with."""
        number, exact = self._step.outputs[slot], self.exact()[slot]
        assert number is not None and exact is not None
        format = self._walker.format_of(number)
        outputs = self._samples.get((format.name, k))
        if outputs is None:
            if self._rounding is None or self._rounding.format != format:
                self._rounding = Rounding(format)
            # Each sample draws its own numbers, the same whenever it is asked for.
            self._rounding.restart((self._step.index, k))

            def sampled(n: int) -> Array:
                samples = self._versions[n].samples
                return self._input(n) if samples is None else samples[k]

            outputs = self._evaluated(sampled, k, self._rounding)
            if sum(each.nbytes for each in outputs if each is not None) <= KEPT_BYTES // SAMPLES:
                self._samples[format.name, k] = outputs
        found = outputs[slot]
        return exact if found is None else found

    def spread(self, slot: int) -> Array:
        """How far rounding may move an output."""
        exact = self.exact()[slot]
        assert exact is not None
        return spread_of(exact, (self.sample(k, slot) for k in range(SAMPLES)))

    def version(self, slot: int) -> Version:
        """What this evaluation predicts for an output."""
        number = self._step.outputs[slot]
        is_view = number is not None and not self._walker.expected.values[number].hash
        if is_view and all(each.samples is None for each in self._versions.values()):
            return Version(exact=self.exact()[slot], assumes=self.assumes)
        return Version(exact=self.exact()[slot], samples=[self.sample(k, slot) for k in range(SAMPLES)], assumes=self.assumes)

    def coarse(self, slot: int) -> Callable[[Format, str], Array | None]:
        """The op on operands rounded to a format."""
        floating = [
            number for number in dict.fromkeys(self._step.inputs)
            if self._walker.expected.values[number].dtype in FORMATS and self._walker.expected.values[number].elements > 1
        ]  # fmt: skip

        def evaluated(format: Format, which: str) -> Array | None:
            chosen = {"both": floating, "first": floating[:1], "second": floating[1:2]}.get(which, [])
            if not chosen:
                return None

            def number(n: int) -> Array:
                values = self._input(n)
                return round_to_format(values, format) if n in chosen and values.dtype.kind == "f" else values

            try:
                return self._evaluated(number, None, EXACT)[slot]
            except Unknown:
                return None

        return evaluated


def _distance(first: Array, second: Array) -> float:
    with np.errstate(invalid="ignore", over="ignore"):
        return _rms(np.asarray(first, dtype=np.result_type(first, np.float64)) - second)


def _rms(values: Array) -> float:
    if not values.size:
        return 0.0
    magnitudes = np.abs(values)
    finite = magnitudes[np.isfinite(magnitudes)]
    return float(np.sqrt(np.mean(finite.astype(np.float64) ** 2))) if finite.size else 0.0
