"""The ops of `actual` behind one of its values, evaluated without rounding: is its formula that of `expected`?"""

from __future__ import annotations

import functools

from ..floats import FORMATS, Format
from ..ops import Kind, record_of
from ..ops.arithmetic import EXACT, Array, Rounding
from ..ops.evaluation import Unknown
from ..traces import Step
from ..traces.roles import Role
from .addition import SAMPLES, judged, spread_of
from .values import evaluate
from .versions import Surroundings

MOST_OPS = 64
"""Ops of `actual` that are evaluated for one value of `expected`: bounds the work. With more, the formula counts as unknown."""


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
        if made_by is None and self._walker.actual.values[number].role == Role.UNSEEN and number not in self._walker.found.matched:
            raise Unknown("no recorded op made a value that it reads")
        if made_by is None or (number != self._target and number in self._walker.found.matched):
            return self._walker.actual_values.number(number)
        if len(self.steps) >= MOST_OPS:
            raise Unknown("too many ops")
        self.steps[made_by.index] = made_by
        given = {source: self._number(source) for source in made_by.inputs}
        try:
            outputs = evaluate(made_by, given.__getitem__, EXACT)
        except Unknown:
            if self._walker.fallback is None:
                raise
            outputs = self._walker.fallback(made_by, given.__getitem__, EXACT)
        for output, found in zip(made_by.outputs, outputs):
            if output is not None and found is not None:
                self._exact[output] = found
        if number not in self._exact:
            raise Unknown(f"{made_by.op} does not define value {number}")
        return self._exact[number]

    def coarsest(self, format: Format) -> Format | None:
        """The coarsest format that a result was stored in, where that is coarser than `format`."""
        values = self._walker.actual.values
        stored = [
            FORMATS[values[n].dtype] for step in self.steps.values() for n in step.outputs if n is not None and values[n].dtype in FORMATS
        ]
        coarser = [float_format for float_format in stored if float_format.precision_bits < format.precision_bits]
        return min(coarser, key=lambda float_format: float_format.precision_bits, default=None)

    @property
    def transforms(self) -> bool:
        """Whether one of the ops that were evaluated is a Fourier transform."""
        return any(record_of(step.name).kind is Kind.TRANSFORM for step in self.steps.values())

    @functools.cached_property
    def is_faithful(self) -> bool:
        """Whether each op's recorded result is within rounding of its formula on its recorded inputs."""
        walker = self._walker
        for step in self.steps.values():
            for slot, number in enumerate(step.outputs):
                if number is None or not walker.actual.values[number].hash:
                    continue
                own = _Own(walker, step)
                try:
                    prediction, recorded = own.exact()[slot], walker.actual_values.number(number)
                    if prediction is None or prediction.shape != recorded.shape:
                        continue
                    if not judged(recorded, prediction, own.spread(slot), own.format(number)).within:
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
        return evaluate(self._step, self._walker.actual_values.number)

    def spread(self, slot: int) -> Array:
        number, exact = self._step.outputs[slot], self.exact()[slot]
        assert number is not None and exact is not None
        rounding = Rounding(self.format(number), amplitude=self._walker.amplitude)

        def sample(k: int) -> Array:
            rounding.restart((self._step.index, k))
            found = evaluate(self._step, self._walker.actual_values.number, rounding)[slot]
            return exact if found is None else found

        return spread_of(exact, (sample(k) for k in range(SAMPLES))) / self._walker.amplitude
