"""A result's error in units of the noise: elementwise, at the worst element, and in norm."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..differences import Leaf
from .noise import LeafNoise

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Residual:
    """The error of one output against the reference, measured by the noise.

    Attributes:
        path: which output.
        rms_in_noise: root mean square over the elements of error / spread.
        max_in_noise: largest |error| / spread; infinity where something moved that rounding can't move.
        norm_in_noise: norm of the error over norm of the spread: what algorithms with normwise bounds are measured by.
        max_norm_in_noise: largest |error| over the root mean square spread.
        rms: root mean square of the error. reference_rms: of the reference.
        count: elements compared (finite on both sides). nonzero: how many of them have an error.
        worst_index: where the largest |error| / spread is.
    """

    path: str
    rms_in_noise: float
    max_in_noise: float
    norm_in_noise: float
    max_norm_in_noise: float
    rms: float
    reference_rms: float
    count: int
    nonzero: int
    worst_index: tuple[int, ...]


def residual_of(values: FloatArray, noise: LeafNoise, *, reference: FloatArray | None = None) -> Residual:
    """The error of `values` against the noise's reference (or another) in units of its spread.

    Args:
        values: float64 array of the output's shape.
        noise: reference and spread.
        reference: what to measure against instead of `noise.reference`.
    """
    flat, other = values.reshape(-1), None if reference is None else reference.reshape(-1)
    return residual_in_blocks(noise.path, values.shape, (
        (place, flat[place], exact if other is None else other[place], spread) for place, exact, spread in noise.blocks()
    ))  # fmt: skip


def residual_of_leaf(leaf: Leaf, noise: Any) -> Residual:
    """The error of an output as it is stored, in units of the noise; in blocks where the noise comes in blocks."""
    blocks = ((place, leaf.float64_at(place), exact, spread) for place, exact, spread in noise.blocks())
    return residual_in_blocks(noise.path, leaf.stored.shape, blocks)


def residual_in_blocks(path: str, shape: tuple[int, ...], blocks: Iterable[tuple[slice, FloatArray, FloatArray, FloatArray]]) -> Residual:
    """The same from blocks of the flattened output: places, values, reference, spread."""
    errors, scaled_errors, spreads, references = (RootMeanSquare() for _ in range(4))
    nonzero, worst, worst_at = 0, -1.0, 0
    for place, values, exact, spread in blocks:
        with np.errstate(invalid="ignore", over="ignore"):
            error = values - exact
        usable = np.isfinite(error)
        error = np.where(usable, error, 0.0)
        scaled = in_noise(error, spread)
        amounts = np.abs(scaled)
        if amounts.size:
            largest = int(np.argmax(amounts))
            if amounts[largest] > worst or math.isnan(amounts[largest]):
                worst, worst_at = float(amounts[largest]), (place.start or 0) + largest
        errors.add(error[usable])
        scaled_errors.add(scaled[usable])
        spreads.add(spread[usable])
        references.add(np.where(usable, exact, 0.0))
        nonzero += int(np.count_nonzero(error))
    if not errors.count:
        return Residual(path, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, ())
    return Residual(
        path=path,
        rms_in_noise=scaled_errors.value,
        max_in_noise=worst,
        norm_in_noise=_ratio(errors.value, spreads.value),
        max_norm_in_noise=_ratio(errors.largest, spreads.value),
        rms=errors.value,
        reference_rms=references.value,
        count=errors.count,
        nonzero=nonzero,
        worst_index=tuple(int(each) for each in np.unravel_index(worst_at, shape)),
    )


def in_noise(error: FloatArray, spread: FloatArray) -> FloatArray:
    """Error / spread elementwise; 0 where there is no error, infinite where there is one and no spread."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(error == 0, 0.0, error / spread)


def root_mean_square(values: FloatArray) -> float:
    """Where squares would overflow or vanish, too."""
    found = RootMeanSquare()
    found.add(values)
    return found.value


class RootMeanSquare:
    """A root mean square of numbers that come in blocks.

    Attributes:
        count: how many numbers there were. largest: of their magnitudes.
    """

    def __init__(self) -> None:
        self.count, self.largest, self._squares = 0, 0.0, 0.0

    def add(self, values: FloatArray) -> None:
        """Take in a block."""
        if not values.size:
            return
        before, self.largest = self.largest, float(np.maximum(self.largest, np.abs(values).max()))
        self.count += values.size
        if self.largest == 0.0 or not math.isfinite(self.largest):
            return
        kept = self._squares * (before / self.largest) ** 2
        self._squares = kept + values.size * float(np.mean((values / self.largest) ** 2))

    @property
    def value(self) -> float:
        """Of all so far; 0 of none."""
        if self.largest == 0.0 or not math.isfinite(self.largest):
            return self.largest
        return self.largest * math.sqrt(self._squares / self.count)


def _ratio(numerator: float, denominator: float) -> float:
    if numerator == 0.0:
        return 0.0
    return numerator / denominator if denominator else math.inf
