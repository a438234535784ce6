"""Units in the last place: their size, the steps between two floats, the error of a float in them.

`ulp_distance` counts steps between two numbers of one format and is an integer; `ulp_error` measures a number against the
exact value and is real (Muller, "On the definition of ulp(x)", 2005; Goldberg's definition is used for the spacing).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .formats import FLOAT64, Format
from .rounding import FloatArray, quantum, round_to_format
from .wide_numbers import widen

NO_DISTANCE = np.uint64(2**64 - 1)
"""The distance between a NaN and a number: no count of steps leads from one to the other."""


def ulp_spacing(values: npt.ArrayLike, target: Format) -> FloatArray:
    """ulp(x): the spacing of the format's numbers in the binade of x.

    Returns:
        float64 array; the smallest subnormal for zero and subnormals, NaN for infinities and NaN.

    Example:
        >>> from halfulp.floats import FLOAT32
        >>> float(ulp_spacing(1.0, FLOAT32)) == 2.0**-23
        True
    """
    return quantum(values, target)


def ordinals(values: npt.ArrayLike, target: Format) -> npt.NDArray[np.int64]:
    """The index of each number among the format's numbers in order, 0 for both zeros. NaN gets 0."""
    held = widen(values)
    if target == FLOAT64:
        magnitude = np.abs(held).view(np.int64)
    else:
        rounded = np.abs(round_to_format(held, target))
        # An infinity takes the place after the largest finite number.
        after = target.max_finite + np.ldexp(1.0, target.exponent_max - target.precision_bits + 1)
        rounded = np.where(np.isinf(held), after, rounded)
        _, exponents = np.frexp(np.where(np.isnan(rounded), 0.0, rounded))
        binade = np.maximum(exponents - 1, target.exponent_min) - target.exponent_min
        binade = np.where(rounded == 0, 0, binade).astype(np.int64)
        spacing = quantum(rounded, target)
        steps = np.where(np.isnan(rounded), 0.0, rounded) / np.where(np.isnan(spacing), 1.0, spacing)
        magnitude = (binade << (target.precision_bits - 1)) + steps.astype(np.int64)
    magnitude = np.where(np.isnan(held), np.int64(0), magnitude)
    return np.where(np.signbit(held), -magnitude, magnitude)


def ulp_distance(actual: npt.ArrayLike, expected: npt.ArrayLike, target: Format) -> npt.NDArray[np.uint64]:
    """How many numbers of the format one walks from `expected` to `actual`.

    Args:
        actual: array of numbers of the format (others are rounded to it first).
        expected: array that broadcasts against `actual`.
        target: the format.

    Returns:
        uint64 array. 0 for equal numbers, for two zeros of any sign and for two NaN; `NO_DISTANCE` (2**64 - 1) for a NaN
        against a number. An infinity counts as the number after the largest finite one.

    Example:
        >>> from halfulp.floats import FLOAT16
        >>> int(ulp_distance(-0.0, 2.0**-24, FLOAT16))
        1
    """
    first, second = np.broadcast_arrays(ordinals(actual, target), ordinals(expected, target))
    same_sign = (first >= 0) == (second >= 0)
    magnitudes = np.abs(first).astype(np.uint64), np.abs(second).astype(np.uint64)
    # Opposite signs of float64 can be more than 2**63 steps apart: add magnitudes in unsigned arithmetic.
    larger, smaller = np.maximum(*magnitudes), np.minimum(*magnitudes)
    steps = np.where(same_sign, larger - smaller, larger + smaller)
    missing = np.isnan(widen(actual)), np.isnan(widen(expected))
    steps = np.where(missing[0] & missing[1], np.uint64(0), steps)
    return np.where(missing[0] ^ missing[1], NO_DISTANCE, steps)


def ulp_error(computed: npt.ArrayLike, exact: npt.ArrayLike, target: Format, *, exact_low: npt.ArrayLike = 0.0) -> FloatArray:
    """How far a computed number is from the exact value, in ulps of the exact value.

    Args:
        computed: array of numbers of the format.
        exact: the exact values, or their leading float64 parts.
        target: the format whose ulp is the unit.
        exact_low: what the exact values have beyond `exact` (for values known to more than 53 bits).

    Returns:
        float64 array, never negative; at most 0.5 for a correctly rounded result. NaN where a side is not finite.

    Example:
        >>> from halfulp.floats import FLOAT32
        >>> float(ulp_error(1.0, 1.0 + 2.0**-25, FLOAT32))
        0.25
    """
    held = widen(computed)
    leading = widen(exact)
    with np.errstate(invalid="ignore"):
        return np.abs((held - leading) - widen(exact_low)) / quantum(leading, target)
