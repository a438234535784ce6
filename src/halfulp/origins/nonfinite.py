"""The first op that makes NaN or infinity from finite numbers, and what it read."""

from __future__ import annotations

from ..ops import record_of
from ..traces import Trace
from .origin import NonFinite


def first_nonfinite(side: str, trace: Trace) -> NonFinite | None:
    """None where every NaN and infinity was there from the start, or there is none. From statistics alone, so at every level."""
    spoiled: set[int] = set()
    for value in trace.values:
        if not value.is_finite:
            spoiled.add(value.number)
    if not spoiled:
        return None
    for step in trace.ops:
        if any(source in spoiled for source in step.inputs):
            spoiled.update(output for output in step.outputs if output is not None)  # views carry no statistics of their own
            continue
        for number in step.outputs:
            value = trace.values[number] if number is not None else None
            if value is None or value.is_finite or record_of(step.name).fills:
                continue
            nan, infinite = int(value.statistics.get("nan", 0)), int(value.statistics.get("inf", 0))
            kind = "NaN" if nan else "infinity"
            return NonFinite(
                side,
                step.op,
                step.module,
                step.source,
                phase=step.phase,
                kind=kind,
                count=nan or infinite,
                inputs=tuple(_described(trace, n) for n in step.inputs),
            )
    return None


def _described(trace: Trace, number: int) -> str:
    value = trace.values[number]
    shape = "x".join(map(str, value.shape)) or "one number"
    low, high = value.statistics.get("min"), value.statistics.get("max")
    span = f", {low:.4g} to {high:.4g}" if low is not None and high is not None else ""
    return f"{value.name + ' ' if value.name else ''}{value.dtype} {shape}{span}"
