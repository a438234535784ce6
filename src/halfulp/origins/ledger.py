"""The ledger of a walk: points in order, suspects, and what each value differs by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..ops.arithmetic import Array
from ..ops.evaluation import Unknown
from ..traces import Step, Trace
from ..verdicts.verdict import Verdict
from .judging import Addition, distance, rms
from .origin import Point
from .replaying import Values


@dataclass(eq=False)
class Suspect:
    """A value that is further from its prediction than rounding.

    Attributes:
        step, slot, number: whose output it is. candidate: the value of `actual`. point: what is reported. addition: what was measured.
        how: how it was proposed. state: "open", "right" (as far as was seen), "final" or "cleared".
    """

    step: Step
    slot: int
    number: int
    candidate: int
    point: Point
    addition: Addition
    how: str
    state: str = "open"


@dataclass
class Walk:
    """Everything that the walk found: points in order, and the suspects."""

    points: list[Point] = field(default_factory=list)
    suspects: dict[int, Suspect] = field(default_factory=dict)
    matched: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    complete: bool = True


class Ledger:
    """Writes down what the walk finds.

    Args:
        actual, expected: the traces. expected_values: the values of `expected`.

    Attributes:
        found: what is in it. totals: relative difference of each value of `expected` so far.
    """

    def __init__(self, actual: Trace, expected: Trace, expected_values: Values) -> None:
        self.actual, self.expected, self.expected_values = actual, expected, expected_values
        self.found = Walk()
        self.totals: dict[int, float] = {}

    def parts(self, number: int, actual_numbers: Array | None, prediction: Array | None) -> tuple[float, float, float]:
        """Total, inherited and added difference, each rms over the rms of `expected`."""
        try:
            expected_numbers = self.expected_values.number(number)
        except Unknown:
            expected_numbers = prediction if prediction is not None else np.zeros(1)
        size = rms(expected_numbers)
        inherited = distance(prediction, expected_numbers) if prediction is not None else 0.0
        total = distance(actual_numbers, expected_numbers) if actual_numbers is not None else inherited
        added = distance(actual_numbers, prediction) if actual_numbers is not None and prediction is not None else 0.0
        total, inherited, added = (each / size if size else (0.0 if not each else float("inf")) for each in (total, inherited, added))
        self.totals[number] = total
        return total, inherited, added

    def add(
        self, step: Step, slot: int, how: str, candidate: int | None, verdict: Verdict | None, parts: tuple[float, float, float],
        addition: Addition | None, note: str = "", module: str | None = None,
    ) -> Point:  # fmt: skip
        """Write down what became of one output of a step of `expected`, in its module or another one."""
        number = step.outputs[slot]
        made_by = self.actual.producers.get(candidate) if candidate is not None else None
        before = max((self.totals.get(source, 0.0) for source in step.inputs), default=0.0)
        phase = "buffer" if number is not None and self.expected.values[number].role == "buffer" else step.phase
        in_noise, worst = (addition.excess.in_noise, addition.excess.of_limit) if addition is not None else (0.0, 0.0)
        point = Point(
            step.index, step.op, step.module if module is None else module, step.call, step.source, phase,
            slot, how, made_by.op if made_by is not None else "", verdict,
            *parts, in_noise, worst, parts[0] / before if before else None, note,
        )  # fmt: skip
        self.found.points.append(point)
        return point

    def final(self, point: Point) -> Point:
        """A suspect that was cleared, or that nothing spoke for, is no counterpart."""
        suspect = next((each for each in self.found.suspects.values() if each.point is point), None)
        if suspect is None or suspect.state in ("right", "final"):
            return point
        return replace(
            point, counterpart="none", actual_op="", verdict=None, total=point.inherited, added=0.0, added_in_noise=0.0, excess=0.0
        )
