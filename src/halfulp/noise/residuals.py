"""A result's error in units of the noise: elementwise, at the worst element, and in norm."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    exact = noise.reference if reference is None else reference
    with np.errstate(invalid="ignore", over="ignore"):
        error = values - exact
    usable = np.isfinite(error)
    error = np.where(usable, error, 0.0)
    scaled = in_noise(error, noise.spread)
    count = int(usable.sum())
    if not count:
        return Residual(noise.path, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, ())
    spread_rms = root_mean_square(noise.spread[usable])
    worst = int(np.argmax(np.abs(scaled)))
    error_rms = root_mean_square(error[usable])
    largest = float(np.abs(error).max())
    return Residual(
        path=noise.path,
        rms_in_noise=root_mean_square(scaled[usable]),
        max_in_noise=float(np.abs(scaled).max()),
        norm_in_noise=_ratio(error_rms, spread_rms),
        max_norm_in_noise=_ratio(largest, spread_rms),
        rms=error_rms,
        reference_rms=root_mean_square(np.where(usable, exact, 0.0)),
        count=count,
        nonzero=int(np.count_nonzero(error)),
        worst_index=tuple(int(each) for each in np.unravel_index(worst, error.shape)),
    )


def in_noise(error: FloatArray, spread: FloatArray) -> FloatArray:
    """Error / spread elementwise; 0 where there is no error, infinite where there is one and no spread."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(error == 0, 0.0, error / spread)


def root_mean_square(values: FloatArray) -> float:
    """Where squares would overflow or vanish, too."""
    if not values.size:
        return 0.0
    largest = float(np.abs(values).max())
    if largest == 0.0 or not math.isfinite(largest):
        return largest
    return largest * float(np.sqrt(np.mean((values / largest) ** 2)))


def _ratio(numerator: float, denominator: float) -> float:
    if numerator == 0.0:
        return 0.0
    return numerator / denominator if denominator else math.inf
