"""The ledger of a walk: points in order, suspects, and what each value differs by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from ..ops.arithmetic import Array
from ..ops.evaluation import Unknown
from ..traces import Step, Trace
from ..traces.roles import Phase, Role
from ..verdicts.verdict import Verdict
from .addition import Addition, distance, rms
from .counterpart import MatchedBy
from .origin import NO_EXCESS, NOTHING, Parts, Point, point_at
from .values import Values


class SuspectState(Enum):
    """What the walk knows of a suspect. It is drawn in `walking`."""

    OPEN = "open"
    """Nothing computed from it was seen yet."""
    RIGHT = "right"
    """It is what `actual` computed, as far as was seen."""
    FINAL = "final"
    """It is, and names vouch for what followed from it."""
    CLEARED = "cleared"
    """Later values follow from the prediction: it is something else."""


@dataclass(eq=False)
class Suspect:
    """A value that is further from its prediction than rounding.

    Attributes:
        step, slot, number: whose output it is. candidate: the value of `actual`. point: what is reported. addition: what was measured.
        how: how it was proposed. state: what the walk knows of it so far.
    """

    step: Step
    slot: int
    number: int
    candidate: int
    point: Point
    addition: Addition
    how: MatchedBy
    state: SuspectState = SuspectState.OPEN

    @property
    def stands(self) -> bool:
        """Whether it is what `actual` computed, as far as is known."""
        return self.state in (SuspectState.RIGHT, SuspectState.FINAL)


@dataclass
class Walk:
    """Everything that the walk found: points in order, and the suspects."""

    points: list[Point] = field(default_factory=list)
    suspects: dict[int, Suspect] = field(default_factory=dict)
    matched: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    complete: bool = True

    @property
    def standing(self) -> list[Suspect]:
        """The suspects that are what `actual` computed, in the order of the ops."""
        found = [suspect for suspect in self.suspects.values() if suspect.stands]
        return sorted(found, key=lambda suspect: (suspect.step.index, suspect.slot))


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

    def parts(self, number: int, actual_numbers: Array | None, prediction: Array | None) -> Parts:
        """Total, inherited and added difference, each rms over the rms of `expected`."""
        try:
            expected_numbers = self.expected_values.number(number)
        except Unknown:
            expected_numbers = prediction if prediction is not None else np.zeros(1)
        size = rms(expected_numbers)
        inherited = distance(prediction, expected_numbers) if prediction is not None else 0.0
        total = distance(actual_numbers, expected_numbers) if actual_numbers is not None else inherited
        added = distance(actual_numbers, prediction) if actual_numbers is not None and prediction is not None else 0.0
        parts = Parts(*(part / size if size else (0.0 if not part else float("inf")) for part in (total, inherited, added)))
        self.totals[number] = parts.total
        return parts

    def add(
        self, step: Step, slot: int, how: MatchedBy, candidate: int | None = None, *, verdict: Verdict | None = None,
        parts: Parts = NOTHING, addition: Addition | None = None, note: str = "", module: str | None = None,
    ) -> Point:  # fmt: skip
        """Write down what became of one output of a step of `expected`, in its module or another one.

        Args:
            step, slot: which output. how, candidate: its counterpart in `actual`, None where there is none.
            verdict, parts, addition: what is said of it, and what was measured; nothing where it can't be told.
            note: in words. module: where it is reported, unless in the step's own.
        """
        number = step.outputs[slot]
        made_by = self.actual.producers.get(candidate) if candidate is not None else None
        before = max((self.totals.get(source, 0.0) for source in step.inputs), default=0.0)
        phase = Phase.BUFFER if number is not None and self.expected.values[number].role == Role.BUFFER else step.phase
        point = point_at(
            step, slot, how, module=module, phase=phase, actual_op=made_by.op if made_by is not None else "", verdict=verdict, parts=parts,
            excess=addition.excess if addition is not None else NO_EXCESS, gain=parts.total / before if before else None, note=note,
        )  # fmt: skip
        self.found.points.append(point)
        return point

    def final(self, point: Point) -> Point:
        """A suspect that was cleared, or that nothing spoke for, is no counterpart."""
        suspect = next((suspect for suspect in self.found.suspects.values() if suspect.point is point), None)
        if suspect is None or suspect.stands:
            return point
        return replace(
            point, counterpart=MatchedBy.NONE, actual_op="", verdict=None, total=point.inherited, added=0.0, added_in_noise=0.0, excess=0.0
        )
