"""Is what one op adds rounding? Its error on the numbers that it really got, in units of what rounding may do to it there.

The same limits as in `verdicts/limits.py`; what is judged is one op (or the few that a fused one replaces), so its inputs are known exactly
and no earlier error is in the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..floats import FORMATS, Format, is_representable, round_to_format, widen
from ..ops import record_of
from ..ops.arithmetic import Array
from ..ops.deviation import ROUNDING_RMS, SAMPLES
from ..verdicts import limits

UNEVEN = 2.0
"""A fast convolution spreads its error evenly: the largest error of an output channel, in units of its noise, over that of the median
channel is at most 1.37 for NNPACK's Winograd kernel (`python -m benchmarks.origins.calibrate`); rounded up to a power of two."""


@dataclass(frozen=True)
class Excess:
    """An error against what rounding makes.

    Attributes:
        worst: 1 at the limit, by the stricter of rms and largest element; infinite where something moved that rounding can't move.
        rms_in_noise, max_in_noise: rms and largest of error / spread. norm_in_noise: norm of the error over norm of the spread.
        error_rms, size_rms: of the error, and of what was predicted.
        worst_index: flat index of the largest error / spread.
        nonfinite: whether NaN or infinities are in other places than predicted.
        channels: norm_in_noise of each slice along axis 1 (of tensors with more than two axes), else empty.
    """

    worst: float
    rms_in_noise: float
    max_in_noise: float
    norm_in_noise: float
    error_rms: float
    size_rms: float
    worst_index: int
    nonfinite: bool = False
    channels: tuple[float, ...] = ()

    @property
    def within(self) -> bool:
        """Whether rounding explains it."""
        return self.worst <= 1.0

    @property
    def relative(self) -> float:
        """Error over size, both rms."""
        if not self.error_rms:
            return 0.0
        return self.error_rms / self.size_rms if self.size_rms else math.inf


def spread_of(prediction: Array, samples: Iterator[Array]) -> Array:
    """Standard deviation of samples around the prediction, element by element."""
    total = np.zeros(prediction.shape)
    count = 0
    unit = _unit(prediction)
    with np.errstate(invalid="ignore", over="ignore"):
        for sample in samples:
            total += (np.abs(_real(sample) - _real(prediction)) / unit) ** 2
            count += 1
        return np.sqrt(total / max(1, count)) * unit


def _unit(values: Array) -> float:
    """A power of two near the largest of these, by which squares neither overflow nor vanish; dividing by it rounds nothing."""
    magnitudes = np.abs(_real(values))
    largest = float(np.max(magnitudes, initial=0.0, where=np.isfinite(magnitudes)))
    return 2.0 ** max(-1022, min(1022, math.frexp(largest)[1])) if largest else 1.0


class Tally:
    """Collects an error against its prediction, part by part.

    Args:
        format: that results are stored in: beyond its range infinity is right.
    """

    def __init__(self, format: Format) -> None:
        self._format = format
        self._scaled = self._error = self._spread = self._size = 0.0
        self._count = self._seen = 0
        self._largest, self._worst_index, self._odd_index = 0.0, 0, -1
        self._unit = 0.0

    def add(self, actual: Array, prediction: Array, spread: Array) -> None:
        """One part: float64 or complex128 arrays of one shape; the spread is real."""
        actual, prediction, spread = _real(actual).reshape(-1), _real(prediction).reshape(-1), spread.reshape(-1)
        finite = np.isfinite(actual) & np.isfinite(prediction)
        if not finite.all():
            # The last number before infinity, and what rounding may carry over it.
            limit = self._format.max_finite * (1.0 - self._format.unit_roundoff)
            with np.errstate(over="ignore"):
                over = np.abs(prediction) > limit - 3.0 * np.nan_to_num(spread, nan=0.0, posinf=0.0)
            odd = (np.isfinite(actual) != np.isfinite(prediction)) & ~(over & np.isinf(actual))
            odd |= ~np.isfinite(actual) & ~np.isfinite(prediction) & (np.isnan(actual) != np.isnan(prediction))
            if odd.any() and self._odd_index < 0:
                self._odd_index = self._seen + int(np.argmax(odd))
            actual, prediction, spread = np.where(finite, actual, 0.0), np.where(finite, prediction, 0.0), np.where(finite, spread, 0.0)
        if not np.isfinite(spread).all():  # squares of the operands overflow: at least the result is rounded
            spread = np.where(np.isfinite(spread), spread, ROUNDING_RMS * self._format.unit_roundoff * np.abs(prediction))
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            error = np.abs(actual - prediction)
            scaled = error / spread
            scaled[error == 0.0] = 0.0
            self._unit = self._unit or _unit(prediction)
            error, spread, size = error / self._unit, spread / self._unit, prediction / self._unit
            self._scaled += float(scaled @ scaled)
            self._error += float(error @ error)
            self._spread += float(spread @ spread)
            self._size += float(np.vdot(size, size).real)
        if scaled.size:
            worst = int(np.argmax(scaled))
            if float(scaled[worst]) > self._largest:
                self._largest, self._worst_index = float(scaled[worst]), self._seen + worst
        self._count += int(finite.sum())
        self._seen += finite.size

    def excess(self, tests: int = 1) -> Excess:
        """What came together.

        Args:
            tests: how many values are judged in one walk, which shares the chance of a false alarm among them (Bonferroni).
        """
        count = max(1, self._count)
        error, size, spread = (math.sqrt(each / count) * (self._unit or 1.0) for each in (self._error, self._size, self._spread))
        if self._odd_index >= 0:
            return Excess(math.inf, math.inf, math.inf, math.inf, error, size, self._odd_index, True)
        in_noise = math.sqrt(self._scaled / count)
        # What `limits.rms_limit` and `max_limit` are for a single value.
        rms_limit, max_limit = (
            limits.MODEL_SLACK * limits.student_quantile(limits.FALSE_ALARM / n, SAMPLES) for n in (tests, tests * count)
        )
        worst = max(in_noise / rms_limit, self._largest / max_limit)
        norm = 0.0 if not error else (error / spread if spread else math.inf)
        return Excess(worst, in_noise, self._largest, norm, error, size, self._worst_index)


def excess_of(actual: Array, prediction: Array, spread: Array, format: Format, *, tests: int = 1) -> Excess:
    """The error of `actual` against a prediction, in units of the spread; see `Tally`."""
    tally = Tally(format)
    tally.add(actual, prediction, spread)
    return tally.excess(tests)


def _real(values: Array) -> Array:
    """Integers and booleans as numbers that can be subtracted."""
    return values if values.dtype.kind in "fc" else widen(values)


def channels_of(actual: Array, prediction: Array, spread: Array) -> tuple[float, ...]:
    """norm_in_noise of each slice along axis 1."""
    if actual.ndim < 3:
        return ()
    axes = tuple(k for k in range(actual.ndim) if k != 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.sqrt(np.sum(np.abs(actual - prediction) ** 2, axis=axes) / np.sum(spread**2, axis=axes))
    return tuple(float(each) for each in found)


def is_fast_convolution(name: str, excess: Excess, channels: tuple[float, ...]) -> bool:
    """Whether the error is what a fast convolution loses by design: normwise small, and the same in every channel."""
    if not record_of(name).convolution or excess.nonfinite or not channels:
        return False
    return max(channels) <= limits.FAST_PRODUCT_LOSS and max(channels) <= UNEVEN * float(np.median(channels))


COARSER = ("tf32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float32")


def reduced_precision(actual: Array, prediction: Array, evaluate_with: Callable[[Format, str], Array | None], format: Format) -> str | None:
    """The coarser format that the error comes from, None when no format explains it.

    Args:
        actual, prediction: what was computed and what should have been.
        evaluate_with: the op on operands rounded to a format: "both", "first", "second", or "result" for its result rounded.
        format: the finer one, that results are stored in.
    """
    error = actual - prediction
    finite = np.isfinite(error)
    total = float(np.sum(np.abs(error[finite]) ** 2))
    if not total:
        return None
    for name in COARSER:
        coarse = FORMATS[name]
        if coarse.precision_bits >= format.precision_bits:
            continue
        for which in ("both", "first", "second", "result"):
            rounded = (
                round_to_format(prediction, coarse) if which == "result" and prediction.dtype.kind == "f" else evaluate_with(coarse, which)
            )
            if rounded is None or rounded.shape != actual.shape:
                continue
            with np.errstate(invalid="ignore"):
                rest = np.abs(actual - rounded)[finite] ** 2
            if float(np.sum(rest[np.isfinite(rest)])) <= (1.0 - limits.EXPLAINED) * total:
                return f"{name} {'result' if which == 'result' else 'inputs'}"
    if actual.dtype.kind == "f" and finite.any():
        for name in ("float8_e5m2", "float8_e4m3fn", "bfloat16", "float16", "tf32", "float32"):
            coarse = FORMATS[name]
            # Computed in the format, op by op: its numbers throughout, and half of its digits right.
            is_coarse = coarse.precision_bits < format.precision_bits and bool(is_representable(actual, coarse).all())
            if is_coarse and rms(error[finite]) <= math.sqrt(coarse.unit_roundoff) * rms(prediction[finite]):
                return f"{name} result"
    return None


def rms(values: Array) -> float:
    """Root mean square of the finite elements."""
    magnitudes = np.abs(_real(values))
    magnitudes = magnitudes[np.isfinite(magnitudes)] if not np.isfinite(magnitudes).all() else magnitudes
    largest = float(magnitudes.max(initial=0.0))
    return largest * float(np.sqrt(np.mean((magnitudes / largest) ** 2))) if largest else 0.0


def distance(first: Array, second: Array) -> float:
    """Root mean square of the difference."""
    with np.errstate(invalid="ignore", over="ignore"):
        return rms(_real(first) - _real(second))
