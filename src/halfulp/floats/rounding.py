"""Round numbers to a format, to nearest with ties to even, exactly.

Values are held in float64, which contains every other format here; a value already in float64 is therefore never
rounded twice.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .formats import FLOAT32, FLOAT64, Format
from .wide_numbers import widen

FloatArray = npt.NDArray[np.float64]
_EXPONENT = np.uint64(0x7FF << 52)
"""The bits of a float64 that hold its exponent."""


def quantum(values: npt.ArrayLike, target: Format) -> FloatArray:
    """The spacing of `target` in the binade of each value: 2**(max(exponent, exponent_min) - p + 1).

    Zero and subnormal values get the spacing of the subnormals; infinities and NaN get NaN.
    """
    held = widen(values)
    # 2**e; 0 of float64's subnormals, infinity of what is not finite
    binade = (held.reshape(-1).view(np.uint64) & _EXPONENT).view(np.float64)
    spacing = np.maximum(binade, math.ldexp(1.0, target.exponent_min), out=binade)
    with np.errstate(under="ignore"):  # exact all the same: a power of two that float64 has
        spacing *= math.ldexp(1.0, 1 - target.precision_bits)
    spacing[~np.isfinite(spacing)] = np.nan
    return spacing.reshape(held.shape)


def round_to_format(values: npt.ArrayLike, target: Format) -> FloatArray:
    """Each value rounded to the nearest number of the format, ties to even.

    Args:
        values: array of any shape; float64 or anything that converts to it without loss.
        target: the format to round to.

    Returns:
        float64 array of the same shape that holds numbers of `target` only. Overflow gives an infinity with the sign of
        the value; where the format has none (float8_e4m3fn) the largest finite number, as PyTorch 2.13 does (the OCP
        specification's saturating mode). NaN stays NaN, the sign of zero is kept.

    Numerics:
        Exact: equal to the IEEE 754 conversion for every input (subnormals and overflow included).

    Example:
        >>> from halfulp.floats import BFLOAT16
        >>> float(round_to_format(1.0 + 2.0**-9, BFLOAT16))
        1.0
    """
    held = widen(values)
    if target == FLOAT64:
        return held.copy()
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        if target == FLOAT32:
            return held.astype(np.float32).astype(np.float64)
        spacing = quantum(held, target)
        # Both scalings are by powers of two and the quotient is below 2**p, so rint, which keeps the sign of zero, is the only rounding.
        rounded = np.divide(held, spacing, out=np.empty_like(spacing))
        np.rint(rounded, out=rounded)
        rounded *= spacing
        beyond = ~(np.abs(rounded) <= target.max_finite)  # NaN too: from infinities, whose spacing is NaN
    if beyond.any():
        overflow = np.copysign(np.inf if target.has_infinity else target.max_finite, held)
        rounded = np.where(beyond, np.where(np.isnan(held), held, overflow), rounded)
    return rounded


def is_representable(values: npt.ArrayLike, target: Format) -> npt.NDArray[np.bool_]:
    """Whether each value is a number of the format already (NaN counts as one)."""
    held = widen(values)
    return (round_to_format(held, target) == held) | np.isnan(held)
