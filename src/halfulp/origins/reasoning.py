"""Why an error is larger than rounding: another formula, fewer bits, an algorithm that loses digits, or a wrong result.

`actual` was recorded op by op too, so its own ops can be evaluated exactly, on the numbers that both sides have in common. If the
difference stays, its formula is another one. If it vanishes, the formula is right, and the way of computing it makes the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..differences.allowance import rms_limit
from ..floats import FORMATS, Format
from ..ops import Kind, record_of
from ..ops.arithmetic import EXACT, Array, Counting
from ..ops.evaluation import Unknown
from ..traces import Step
from ..verdicts import limits
from ..verdicts.verdict import Verdict
from .judging import SAMPLES, Addition, channels_of, is_fast_convolution, judged, numbers, reduced_precision
from .replaying import evaluate
from .versions import Evaluation, Surroundings, Version

MOST_OPS = 64
"""Ops of `actual` that are evaluated for one value of `expected`: bounds the work. With more, the formula counts as unknown."""


UNKNOWN_FORMULA = "how it was computed is not known; no more than a respectable algorithm loses"
"""What is said of a value that no recorded op made."""

LOOSENINGS = 3
"""How many ops back rounding is carried where the two sides share too few values to be compared op by op: the ops of one module between two
named results."""


class Reason(NamedTuple):
    """A verdict on what one op adds, and what it rests on in words."""

    verdict: Verdict
    text: str


class Chain:
    """The ops of `actual` behind one of its values, back to values that stand for something in `expected`."""

    def __init__(self, walker: Surroundings, number: int) -> None:
        self._walker, self._target = walker, number
        self._exact: dict[int, Array] = {}
        self.steps: dict[int, Step] = {}

    def starts_from(self, sources: set[int], bits: set[str]) -> bool:
        """Whether all that it starts from are these values (or others of the same bits), parameters and constants."""
        values, producers = self._walker.actual.values, self._walker.actual.producers
        waiting, seen = [self._target], set[int]()
        while waiting:
            number = waiting.pop()
            made_by = producers.get(number)
            if made_by is None or number in seen:
                continue
            seen.add(number)
            if number != self._target and number in self._walker.found.matched:
                if number not in sources and values[number].hash not in bits:
                    return False
                continue
            if len(seen) > MOST_OPS:
                return False
            waiting += made_by.inputs
        return True

    def exact(self) -> Array | None:
        """The value without rounding; None where an op has no formula."""
        if self._target not in self._walker.actual.producers:
            return None  # made where recording can't look: nothing is known of its formula
        try:
            return self._number(self._target)
        except (Unknown, RecursionError):
            return None

    def _number(self, number: int) -> Array:
        known = self._exact.get(number)
        if known is not None:
            return known
        made_by = self._walker.actual.producers.get(number)
        if made_by is None and self._walker.actual.values[number].role == "unseen" and number not in self._walker.found.matched:
            raise Unknown("a value that no recorded op made")
        if made_by is None or (number != self._target and number in self._walker.found.matched):
            return self._walker.theirs.number(number)
        if len(self.steps) >= MOST_OPS:
            raise Unknown("too many ops")
        self.steps[made_by.index] = made_by
        given = {each: self._number(each) for each in made_by.inputs}
        try:
            outputs = evaluate(made_by, given.__getitem__, EXACT)
        except Unknown:
            if self._walker.fallback is None:
                raise
            outputs = self._walker.fallback(made_by, given.__getitem__, EXACT)
        for each, found in zip(made_by.outputs, outputs):
            if each is not None and found is not None:
                self._exact[each] = found
        if number not in self._exact:
            raise Unknown(f"{made_by.op} does not define value {number}")
        return self._exact[number]

    def coarsest(self, format: Format) -> Format | None:
        """The coarsest format that a result was stored in, where that is coarser than `format`."""
        values = self._walker.actual.values
        stored = [
            FORMATS[values[n].dtype] for step in self.steps.values() for n in step.outputs if n is not None and values[n].dtype in FORMATS
        ]
        coarser = [each for each in stored if each.precision_bits < format.precision_bits]
        return min(coarser, key=lambda each: each.precision_bits, default=None)

    def is_faithful(self) -> bool:
        """Whether each op's recorded result is within rounding of its formula on its recorded inputs."""
        walker = self._walker
        for step in self.steps.values():
            for slot, number in enumerate(step.outputs):
                if number is None or not walker.actual.values[number].hash:
                    continue
                own = _Own(walker, step)
                try:
                    prediction, theirs = own.exact()[slot], walker.theirs.number(number)
                    if prediction is None or prediction.shape != theirs.shape:
                        continue
                    if not judged(theirs, prediction, own.spread(slot), own.format(number)).within:
                        return False
                except Unknown:
                    continue
        return True


class _Own:
    """An op of `actual` on its own recorded inputs."""

    def __init__(self, walker: Surroundings, step: Step) -> None:
        self._walker, self._step = walker, step

    def format(self, number: int) -> Format:
        own = FORMATS.get(self._walker.actual.values[number].dtype, FORMATS["float32"])
        declared = self._walker.declared
        return declared if declared is not None and declared.precision_bits < own.precision_bits else own

    def exact(self) -> list[Array | None]:
        return evaluate(self._step, self._walker.theirs.number)

    def spread(self, slot: int) -> Array:
        from ..ops.arithmetic import Rounding
        from .judging import spread_of

        number, exact = self._step.outputs[slot], self.exact()[slot]
        assert number is not None and exact is not None
        rounding = Rounding(self.format(number), amplitude=self._walker.amplitude)

        def sample(k: int) -> Array:
            rounding.restart((self._step.index, k))
            found = evaluate(self._step, self._walker.theirs.number, rounding)[slot]
            return exact if found is None else found

        return spread_of(exact, (sample(k) for k in range(SAMPLES))) / self._walker.amplitude


def reason_of(
    walker: Surroundings,
    main: Evaluation,
    slot: int,
    number: int,
    candidate: int,
    theirs: Array,
    addition: Addition,
    *,
    same: int | None = None,
) -> Reason:
    """What makes a value of `actual` differ from what an op of `expected` predicts for it.

    Args:
        walker: the walk.
        main: the op.
        slot, number: which output, and its number.
        candidate, theirs: the value of `actual`, and its numbers.
        addition: how far they are off.
        same: another value of `actual` that is what the op gives, from which the candidate may come.
    """
    prediction, format = main.exact()[slot], walker.format_of(number)
    assert prediction is not None
    chain = Chain(walker, candidate)
    exact = chain.exact()
    sources = main.sources() | ({same} if same is not None else set[int]())
    bits = {walker.actual.values[each].hash for each in sources} - {""}
    if not chain.starts_from(sources, bits) and any(
        each.residual.norm_in_noise <= rms_limit(SAMPLES) for each in (addition, *_loosened_excesses(walker, main, slot, number, theirs))
    ):
        return Reason(Verdict.ROUNDING, "computed from neighbours of the values compared, and no further off in norm than rounding")
    if exact is not None and exact.size == prediction.size:
        exact = exact.reshape(prediction.shape)
        if _stays(theirs, exact, prediction):
            return Reason(
                Verdict.MISTAKE, "the same difference is there in exact arithmetic: another formula, or other constants or weights"
            )
    else:
        exact = None
    if addition.residual.nonfinite:
        return Reason(Verdict.MISTAKE, "NaN or infinities are in other places")
    named = reduced_precision(theirs, prediction, main.coarse(slot), format) if theirs.dtype.kind == "f" else None
    coarse = chain.coarsest(format) if exact is not None else None
    if named is not None:
        return Reason(Verdict.REDUCED_PRECISION, f"computing with {named} explains it")
    if coarse is not None:
        return Reason(Verdict.REDUCED_PRECISION, f"in exact arithmetic it vanishes, and results were stored in {coarse.name}")
    if (
        any(record_of(each.name).kind is Kind.TRANSFORM for each in chain.steps.values())
        and addition.residual.norm_in_noise <= limits.FAST_PRODUCT_LOSS
    ):
        return Reason(Verdict.ROUNDING, "computed by Fourier transforms, which are exact in norm only")
    if exact is None and (addition.excess.of_limit <= limits.TOLERABLE_LOSS or _within_bound(main, slot, number, theirs)):
        return Reason(Verdict.ROUNDING, UNKNOWN_FORMULA)
    if exact is None:
        return Reason(Verdict.MISTAKE, "")
    if is_fast_convolution(main.step.name, addition, channels_of(theirs, prediction, main.spread(slot))):
        return Reason(Verdict.ROUNDING, "a fast convolution, which is exact in norm only")
    return _of_right_formula(walker, main, slot, number, chain, theirs, addition)


def _of_right_formula(
    walker: Surroundings, main: Evaluation, slot: int, number: int, chain: Chain, theirs: Array, addition: Addition
) -> Reason:
    """What is left where both formulas agree and no coarser format explains the error: how the numbers were computed."""
    respectable = Reason(Verdict.ROUNDING, "another way to compute the same, which loses a little more")
    # What `expected` itself is off by counts as honest; twice that may be the other sign of it.
    if addition.excess.of_limit <= max(limits.TOLERABLE_LOSS, 2.0 * _own_excess(walker, main.step, number, slot)):
        return respectable
    if _within_bound(main, slot, number, theirs):
        return Reason(Verdict.ROUNDING, "an unlucky sum: beyond what is likely, within what is proved for any order")
    if not chain.is_faithful():
        return Reason(Verdict.MISTAKE, "the result is not what the op's own formula gives on its inputs")
    if addition.residual.norm_in_noise <= rms_limit(SAMPLES):
        return Reason(Verdict.ROUNDING, "the same written otherwise: elements that cancel there lose digits, the whole does not")
    # Each of its ops rounds as it may; it is only a matter of how much that comes to, beside what the ops before make of their rounding.
    if any(each.excess.of_limit <= limits.TOLERABLE_LOSS for each in _loosened_excesses(walker, main, slot, number, theirs)):
        return respectable
    return Reason(Verdict.UNSTABLE, "in exact arithmetic it vanishes: this way of computing loses digits")


def _loosened_excesses(walker: Surroundings, main: Evaluation, slot: int, number: int, theirs: Array) -> Iterator[Addition]:
    """The error in units of what the rounding of one, two and three ops makes."""
    for _ in range(LOOSENINGS):
        main = main.loosened()
        yield walker.addition_in(main, slot, number, theirs)


def _within_bound(main: Evaluation, slot: int, number: int, theirs: Array) -> bool:
    """Whether each error is below n u times the sum of the terms' magnitudes (Higham, Accuracy and Stability, 2nd ed., section 3.1).

    Errors of a sum of few different numbers, repeated, go one way: they reach the bound, not its root.
    """
    prediction = main.exact()[slot]
    if not record_of(main.step.name).magnitudes or prediction is None:
        return False
    counting = Counting()
    try:
        magnitudes = evaluate(main.step, lambda n: np.abs(main.input(n)), counting)[slot]
    except Unknown:
        return False
    if magnitudes is None:
        return False
    bound = (counting.terms + 1.0) * main.around.format_of(number).unit_roundoff * magnitudes
    with np.errstate(invalid="ignore"):
        return bool(np.all(np.abs(theirs - prediction) <= bound))


def _own_excess(walker: Surroundings, step: Step, number: int, slot: int) -> float:
    """How far `expected` is from its own formula: beyond rounding where the formula is not quite what its library computes."""
    try:
        own = Evaluation(walker, step, {each: Version(identical=True) for each in step.inputs})
        prediction, mine = own.exact()[slot], walker.ours.number(number)
        if prediction is None or prediction.shape != mine.shape:
            return 0.0
        return judged(mine, prediction, own.spread(slot), walker.format_of(number), tests=walker.tests).excess.of_limit
    except Unknown:
        return 0.0


def _stays(theirs: Array, exact: Array, prediction: Array) -> bool:
    """Whether the difference of the formulas makes up the error."""
    with np.errstate(invalid="ignore", over="ignore"):
        error, formulas = numbers(theirs) - numbers(prediction), numbers(exact) - numbers(prediction)
        usable = np.isfinite(error) & np.isfinite(formulas)
        total = float(np.sum(np.abs(error[usable]) ** 2))
        rest = float(np.sum(np.abs((error - formulas)[usable]) ** 2))
    if not total:
        return False
    return rest <= (1.0 - limits.EXPLAINED) * total
