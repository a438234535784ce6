"""Nearness: which values of a trace have elements like those of a prediction. A few elements of each are read, once."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from ..ops.arithmetic import Array
from ..traces import Trace, Value
from ..traces.samples import sampled_places

PROBES = 64
"""Elements by which a value is compared at first: 64 of them tell unrelated tensors (relative difference 1.4) from the same with a
fault."""


class Nearness:
    """Finds the values of a trace that are near a prediction.

    Args:
        trace: whose values; those that are stored completely count.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        groups: dict[tuple[int, bool], list[Value]] = defaultdict(list)
        for value in trace.values:
            if value.hash and value.is_complete and value.elements and "rms" in value.statistics:
                groups[value.elements, is_float(value.dtype)].append(value)
        self._groups = {key: _Group(trace, values) for key, values in groups.items()}

    def near(self, prediction: Array, dtype: str) -> list[tuple[float, int]]:
        """Values with as many elements as a prediction, by relative distance from it (rms over rms), nearest first.

        Args:
            prediction: any shape. dtype: of the value that it predicts: floating-point values are looked for beside their like.
        """
        group = self._groups.get((prediction.size, is_float(dtype)))
        return group.near(prediction) if group is not None else []


class _Group:
    """Values with the same number of elements."""

    def __init__(self, trace: Trace, values: list[Value]) -> None:
        self._trace = trace
        self._numbers = np.array([value.number for value in values])
        self._rms = np.array([value.statistics["rms"] for value in values])
        self._places = sampled_places(values[0].elements, min(PROBES, values[0].elements))
        kind: Any = np.complex128 if any(value.dtype.startswith("complex") for value in values) else np.float64
        self._probes = np.zeros((len(values), len(self._places)), kind)
        self._is_read = np.zeros(len(values), bool)

    def near(self, prediction: Array) -> list[tuple[float, int]]:
        wanted = prediction.reshape(-1)[self._places]
        with np.errstate(all="ignore"):
            size = float(np.sqrt(np.mean(np.abs(wanted) ** 2)))
            # Twice the size or half of it is no nearer than an unrelated tensor.
            usable = np.flatnonzero((0.5 * size < self._rms * 1.5) & (self._rms <= 3.0 * size))
            if not size or not np.isfinite(size) or not usable.size:
                return []
            for index in usable[~self._is_read[usable]]:
                self._probes[index] = self._trace.stored(int(self._numbers[index])).reshape(-1)[self._places]
                self._is_read[index] = True
            distances = np.sqrt(np.mean(np.abs(self._probes[usable] - wanted) ** 2, axis=1)) / size
        order = np.argsort(distances, kind="stable")
        return [(float(distances[i]), int(self._numbers[usable[i]])) for i in order if np.isfinite(distances[i])]


def is_float(dtype: str) -> bool:
    """Whether a dtype by that name has rounding."""
    return dtype.startswith(("float", "bfloat", "complex"))
