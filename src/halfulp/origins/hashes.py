"""What traces without elements still tell: where the bits first differ, and how fast the statistics part."""

from __future__ import annotations

import math

import numpy as np

from ..floats import widen
from ..traces import Trace, Value
from ..verdicts.verdict import Verdict
from .alignment import Alignment
from .counterpart import MatchedBy
from .origin import Parts, Point, point_at


def walk_hashes(actual: Trace, expected: Trace, alignment: Alignment) -> tuple[Point, ...]:
    """One point for each value of `expected` that has a counterpart by name: same bits, or how far their statistics or samples are apart.

    What an op adds can't be told from what it inherited without elements, so no point has a verdict but IDENTICAL.
    """
    points: list[Point] = []
    totals: dict[int, float] = {}
    for step in expected.ops:
        for slot, number in enumerate(step.outputs):
            if number is None or number in step.inputs or not expected.values[number].hash:
                continue
            found = alignment.candidates(step, slot)
            same = alignment.same_bits(number)
            if not found and same is None:
                continue
            counterpart = found[0].number if found else same
            assert counterpart is not None
            expected_value, actual_value = expected.values[number], actual.values[counterpart]
            is_same = expected_value.hash == actual_value.hash
            total = 0.0 if is_same else _distance(actual, expected, actual_value, expected_value)
            before = max((totals.get(source, 0.0) for source in step.inputs), default=0.0)
            totals[number] = total
            made_by = actual.producers.get(counterpart)
            points.append(
                point_at(
                    step,
                    slot,
                    MatchedBy.SAME_BITS if is_same else found[0].how,
                    actual_op=made_by.op if made_by else "",
                    verdict=Verdict.IDENTICAL if is_same else None,
                    parts=Parts(total),
                    gain=total / before if before else None,
                )
            )
    return tuple(points)


def _distance(actual: Trace, expected: Trace, actual_value: Value, expected_value: Value) -> float:
    """Relative rms difference: of the elements that both kept, or, where they kept none, what means and rms tell of it."""
    if expected_value.place is not None and actual_value.place is not None and expected_value.elements == actual_value.elements:
        count = min(expected_value.place.elements, actual_value.place.elements)
        expected_numbers = _first(expected, expected_value, count)
        actual_numbers = _first(actual, actual_value, count)
        size = float(np.sqrt(np.mean(np.abs(expected_numbers) ** 2))) if count else 0.0
        with np.errstate(invalid="ignore"):
            return float(np.sqrt(np.mean(np.abs(actual_numbers - expected_numbers) ** 2))) / size if size else math.inf
    size = expected_value.statistics.get("rms", 0.0)
    if not size:
        return math.inf
    apart = [
        abs(expected_value.statistics.get(name, 0.0) - actual_value.statistics.get(name, 0.0)) for name in ("mean", "rms", "min", "max")
    ]
    return max(apart) / size


def _first(trace: Trace, value: Value, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The elements at the first sampled places, which any two recordings have in common."""
    from ..traces.samples import sampled_places

    stored = widen(trace.stored(value.number).reshape(-1))
    return stored[sampled_places(value.elements, count)] if value.is_complete else stored[:count]
