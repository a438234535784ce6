"""Round numbers to a format, to nearest with ties to even, exactly.

Values are held in float64, which contains every other format here; a value already in float64 is therefore never
rounded twice.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .formats import FLOAT64, Format
from .wide_numbers import widen

FloatArray = npt.NDArray[np.float64]


def quantum(values: npt.ArrayLike, target: Format) -> FloatArray:
    """The spacing of `target` in the binade of each value: 2**(max(exponent, exponent_min) - p + 1).

    Zero and subnormal values get the spacing of the subnormals; infinities and NaN get NaN.
    """
    held = widen(values)
    finite = np.isfinite(held)
    _, exponents = np.frexp(np.where(finite, held, 0.0))  # |x| = m 2**e with m in [1/2, 1): the exponent in IEEE's sense is e - 1
    exponents = np.where(held == 0, target.exponent_min, exponents - 1)
    spacing = np.ldexp(1.0, np.maximum(exponents, target.exponent_min) - (target.precision_bits - 1))
    return np.where(finite, spacing, np.nan)


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
    spacing = quantum(held, target)
    with np.errstate(invalid="ignore", over="ignore"):
        # Both scalings are by powers of two and the quotient is below 2**p, so rint is the only rounding.
        rounded = np.rint(held / spacing) * spacing
    rounded = np.copysign(rounded, held)
    beyond = np.abs(rounded) > target.max_finite
    overflow = np.copysign(np.inf if target.has_infinity else target.max_finite, held)
    rounded = np.where(beyond | np.isinf(held), overflow, rounded)
    return np.where(np.isnan(held), held, rounded)


def is_representable(values: npt.ArrayLike, target: Format) -> npt.NDArray[np.bool_]:
    """Whether each value is a number of the format already (NaN counts as one)."""
    held = widen(values)
    return (round_to_format(held, target) == held) | np.isnan(held)
