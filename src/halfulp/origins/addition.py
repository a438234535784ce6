"""Is what one op adds rounding? Its error on the numbers that it really got, in units of what rounding may do to it there.

The same limits as in `verdicts/limits.py`; what is judged is one op (or the few that a fused one replaces), so its inputs are known exactly
and no earlier error is in the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..differences.excess import Excess, Residual, Tally, root_mean_square
from ..floats import FORMATS, Format, is_representable, round_to_format, widen
from ..ops import record_of
from ..ops.arithmetic import Array
from ..ops.deviation import SAMPLES
from ..verdicts import limits

UNEVEN = 2.0
"""A fast convolution spreads its error evenly: the largest error of an output channel, in units of its noise, over that of the median
channel is at most 1.37 for NNPACK's Winograd kernel (`python -m benchmarks.origins.calibrate`); rounded up to a power of two."""


@dataclass(frozen=True)
class Addition:
    """What one op adds to the numbers that it really got, against what rounding causes there.

    Attributes:
        residual: the error in units of the noise. excess: its size against the limit.
    """

    residual: Residual
    excess: Excess

    @property
    def within(self) -> bool:
        """Whether rounding explains it."""
        return self.excess.within


def addition_of(tally: Tally, tests: int = 1) -> Addition:
    """What was collected.

    Args:
        tests: how many values are judged in one walk, which share the chance of a false alarm.
    """
    residual = tally.residual()
    return Addition(residual, residual.excess(SAMPLES, tests=tests))


def beyond_everything(error: float, size: float, index: int = 0) -> Addition:
    """Of a value where no rounding can be: its error and size (rms), and the flat index of the worst element."""
    residual = Residual(
        "",
        math.inf,
        math.inf,
        math.inf,
        max_norm_in_noise=math.inf,
        rms=error,
        reference_rms=size,
        count=1,
        nonzero=1,
        worst_index=(index,),
    )
    return Addition(residual, Excess(math.inf, math.inf))


def spread_of(prediction: Array, samples: Iterator[Array]) -> Array:
    """Standard deviation of samples around the prediction, element by element."""
    total = np.zeros(prediction.shape)
    count = 0
    unit = _unit(prediction)
    with np.errstate(invalid="ignore", over="ignore"):
        for sample in samples:
            total += (np.abs(numbers(sample) - numbers(prediction)) / unit) ** 2
            count += 1
        return np.sqrt(total / max(1, count)) * unit


def _unit(values: Array) -> float:
    """A power of two near the largest of these, by which squares neither overflow nor vanish; dividing by it rounds nothing."""
    magnitudes = np.abs(numbers(values))
    largest = float(np.max(magnitudes, initial=0.0, where=np.isfinite(magnitudes)))
    return 2.0 ** max(-1022, min(1022, math.frexp(largest)[1])) if largest else 1.0


def judged(actual: Array, prediction: Array, spread: Array, format: Format, *, tests: int = 1) -> Addition:
    """The error of `actual` against a prediction, in units of the spread."""
    tally = Tally(format)
    tally.add(actual, prediction, spread)
    return addition_of(tally, tests)


def numbers(values: Array) -> Array:
    """Integers and booleans as numbers that can be subtracted."""
    return values if values.dtype.kind in "fc" else widen(values)


def channels_of(actual: Array, prediction: Array, spread: Array) -> tuple[float, ...]:
    """norm_in_noise of each slice along axis 1."""
    if actual.ndim < 3:
        return ()
    axes = tuple(k for k in range(actual.ndim) if k != 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.sqrt(np.sum(np.abs(actual - prediction) ** 2, axis=axes) / np.sum(spread**2, axis=axes))
    return tuple(float(item) for item in found)


def is_fast_convolution(name: str, addition: Addition, channels: tuple[float, ...]) -> bool:
    """Whether the error is what a fast convolution loses by design: normwise small, and the same in every channel."""
    if not record_of(name).convolution or addition.residual.nonfinite or not channels:
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
    return None


def format_of_results(actual: Array, prediction: Array, format: Format) -> str | None:
    """The coarser format that all results are numbers of, if half of their digits are right: computed in it, op by op."""
    error = actual - prediction
    finite = np.isfinite(error)
    if actual.dtype.kind != "f" or not finite.any():
        return None
    for name in ("float8_e5m2", "float8_e4m3fn", "bfloat16", "float16", "tf32", "float32"):
        coarse = FORMATS[name]
        is_coarse = coarse.precision_bits < format.precision_bits and bool(is_representable(actual, coarse).all())
        if is_coarse and rms(error[finite]) <= math.sqrt(coarse.unit_roundoff) * rms(prediction[finite]):
            return f"{name} result"
    return None


def rms(values: Array) -> float:
    """Root mean square of the finite elements."""
    magnitudes = np.abs(numbers(values))
    return root_mean_square(magnitudes[np.isfinite(magnitudes)])


def distance(first: Array, second: Array) -> float:
    """Root mean square of the difference; infinite where the numbers of elements differ, as after a mask that selects others."""
    if first.size != second.size:
        return math.inf
    with np.errstate(invalid="ignore", over="ignore"):
        return rms(numbers(first) - numbers(second))
