"""An error in the one unit that halfulp has for it: how many times the noise it is, and how many times the limit of correct rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..floats import Format, widen
from ..ops.deviation import ROUNDING_RMS
from ..words.numbers import number
from .allowance import MODEL_SLACK, max_limit, rms_limit

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Excess:
    """How large an error is, said the same way by every command.

    Attributes:
        in_noise: root mean square over the elements of error / spread.
        of_limit: 1 at the limit of correct rounding, by the stricter of the rms and the largest element; infinite where something moved
            that rounding can't move.

    Example:
        >>> print(Excess(35.06, 4.637))
        35.1 times (rms) what rounding causes, and 4.64 times the limit of a correct implementation at its worst
        >>> print(Excess(36953.2, 4888.0).words(" in float32"))
        36,953 times (rms) what rounding in float32 causes, and 4,888 times the limit of a correct implementation at its worst
    """

    in_noise: float
    of_limit: float

    @property
    def within(self) -> bool:
        """Whether rounding explains it."""
        return self.of_limit <= 1.0

    def words(self, where: str = "") -> str:
        """The two numbers in words; `where` says of which rounding."""
        in_noise, of_limit = map(_times, (self.in_noise, self.of_limit))
        return (
            f"{in_noise} times (rms) what rounding{where} causes, and {of_limit} times the limit of a correct implementation at its worst"
        )

    def __str__(self) -> str:
        return self.words()


@dataclass(frozen=True)
class Residual:
    """The error of one output against what it should be, measured by the noise.

    Attributes:
        path: which output.
        rms_in_noise: root mean square over the elements of error / spread.
        max_in_noise: largest |error| / spread; infinity where something moved that rounding can't move.
        norm_in_noise: norm of the error over norm of the spread: what algorithms with normwise bounds are measured by.
        max_norm_in_noise: largest |error| over the root mean square spread.
        rms: root mean square of the error. reference_rms: of what it should be.
        count: elements compared (finite on both sides). nonzero: how many of them have an error.
        worst_index: where the largest |error| / spread is.
        nonfinite: whether NaN or infinities are in other places than they should be, where that was asked.
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
    nonfinite: bool = False

    def excess(self, samples: int, *, tests: int = 1, slack: float = MODEL_SLACK) -> Excess:
        """The error against its limit.

        Args:
            samples: how many the noise was sampled from. tests: how many values are judged together.
            slack: 1.0 where the rounding of data is all there can be, which the model gets right.
        """
        of_rms = self.rms_in_noise / rms_limit(samples, tests=tests, slack=slack)
        of_largest = self.max_in_noise / max_limit(samples, self.count, tests=tests, slack=slack)
        return Excess(self.rms_in_noise, max(of_rms, of_largest))

    @property
    def relative(self) -> float:
        """Error over size, both rms."""
        return _ratio(self.rms, self.reference_rms)


class Tally:
    """Collects an error against what it should be, part by part.

    Args:
        format: that results are stored in, where NaN and infinities count too: beyond its range infinity is right. Without it elements that
            are not finite on both sides are left out.
    """

    def __init__(self, format: Format | None = None) -> None:
        self._format = format
        self._scaled, self._errors, self._spreads, self._references = (RootMeanSquare() for _ in range(4))
        self._seen = self._nonzero = self._worst_at = 0
        self._odd_at = -1

    def add(self, actual: npt.NDArray[Any], exact: npt.NDArray[Any], spread: FloatArray) -> None:
        """One part: real or complex arrays of one shape; the spread is real."""
        actual, exact, spread = _flat(actual), _flat(exact), spread.reshape(-1)
        finite = np.isfinite(actual) & np.isfinite(exact)
        if not finite.all():
            if self._format is not None:
                self._watch(actual, exact, spread, self._format)
            actual, exact, spread = actual[finite], exact[finite], spread[finite]
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            # Where the squares of the operands overflow, at least the result is rounded.
            if self._format is not None and not np.isfinite(spread).all():
                spread = np.where(np.isfinite(spread), spread, ROUNDING_RMS * self._format.unit_roundoff * np.abs(exact))
            error = np.abs(actual - exact)
            scaled = in_noise(error, spread)
        if scaled.size:
            worst = int(np.argmax(scaled))
            if not scaled[worst] <= self._scaled.largest or not self._scaled.count:  # NaN is the worst
                place = worst if finite.all() else int(np.flatnonzero(finite)[worst])
                self._worst_at = self._seen + place
        self._scaled.add(scaled)
        self._errors.add(error)
        self._spreads.add(spread)
        self._references.add(np.abs(exact))
        self._nonzero += int(np.count_nonzero(error))
        self._seen += finite.size

    def _watch(self, actual: npt.NDArray[Any], exact: npt.NDArray[Any], spread: FloatArray, format: Format) -> None:
        """NaN and infinities that are not where they should be."""
        # The last number before infinity, and what rounding may carry over it.
        limit = format.max_finite * (1.0 - format.unit_roundoff)
        with np.errstate(over="ignore", invalid="ignore"):
            over = np.abs(exact) > limit - 3.0 * np.nan_to_num(spread, nan=0.0, posinf=0.0)
        odd = (np.isfinite(actual) != np.isfinite(exact)) & ~(over & np.isinf(actual))
        odd |= ~np.isfinite(actual) & ~np.isfinite(exact) & (np.isnan(actual) != np.isnan(exact))
        if odd.any() and self._odd_at < 0:
            self._odd_at = self._seen + int(np.argmax(odd))

    def residual(self, path: str = "", shape: tuple[int, ...] | None = None) -> Residual:
        """What came together; with the shape of the whole, the worst element's index in it."""
        is_odd = self._odd_at >= 0
        worst_at = self._odd_at if is_odd else self._worst_at
        where = (worst_at,) if shape is None else tuple(int(k) for k in np.unravel_index(worst_at, shape)) if self._scaled.count else ()
        scaled, largest, norm, largest_norm = (math.inf,) * 4 if is_odd else (
            self._scaled.value, self._scaled.largest, _ratio(self._errors.value, self._spreads.value),
            _ratio(self._errors.largest, self._spreads.value),
        )  # fmt: skip
        return Residual(
            path=path,
            rms_in_noise=scaled,
            max_in_noise=largest,
            norm_in_noise=norm,
            max_norm_in_noise=largest_norm,
            rms=self._errors.value,
            reference_rms=self._references.value,
            count=self._scaled.count,
            nonzero=self._nonzero,
            worst_index=where,
            nonfinite=is_odd,
        )


def in_noise(error: FloatArray, spread: FloatArray) -> FloatArray:
    """Error / spread elementwise; 0 where there is no error, infinite where there is one and no spread."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled = np.asarray(np.divide(error, spread))
    np.copyto(scaled, 0.0, where=error == 0)
    return scaled


def _flat(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """In one row, as numbers that can be subtracted."""
    return (values if values.dtype.kind in "fc" else widen(values)).reshape(-1)


def root_mean_square(values: FloatArray) -> float:
    """Where squares would overflow or vanish, too."""
    found = RootMeanSquare()
    found.add(values)
    return found.value


_SQUARES_ARE_SAFE = 2.0**-400, 2.0**400
"""Between these, squares of a million numbers neither overflow nor lose what counts."""


class RootMeanSquare:
    """A root mean square of numbers that come in blocks.

    Attributes:
        count: how many numbers there were. largest: of their magnitudes.
    """

    def __init__(self) -> None:
        self.count, self.largest, self._norm = 0, 0.0, 0.0

    def add(self, values: FloatArray) -> None:
        """Take in a block of real numbers."""
        if not values.size:
            return
        values = values.reshape(-1)
        largest = float(np.maximum(values.max(), -values.min()))
        self.largest = float(np.maximum(self.largest, largest))  # NaN stays
        self.count += values.size
        if largest == 0.0 or not math.isfinite(largest):
            return
        low, high = _SQUARES_ARE_SAFE
        unit = 1.0 if low < largest < high else math.ldexp(1.0, math.frexp(largest)[1] - 1)
        scaled = values if unit == 1.0 else values / unit
        # Not `@`: the BLAS keeps its threads spinning, and they slow down PyTorch's.
        self._norm = math.hypot(self._norm, unit * math.sqrt(float(np.einsum("i,i->", scaled, scaled))))

    @property
    def value(self) -> float:
        """Of all so far; 0 of none."""
        if self.largest == 0.0 or not math.isfinite(self.largest):
            return self.largest
        return self._norm / math.sqrt(self.count)


def _times(factor: float) -> str:
    return "infinitely many" if math.isinf(factor) else number(factor)


def _ratio(numerator: float, denominator: float) -> float:
    if numerator == 0.0:
        return 0.0
    return numerator / denominator if denominator else math.inf
