"""Error-free transforms: sums and products together with the error that their rounding made.

All work elementwise on arrays, in round to nearest, and are exact unless something overflows or underflows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .wide_numbers import widen


def two_sum(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The rounded sum s and its error e, so that s + e == left + right exactly.

    References:
        Knuth, The Art of Computer Programming, vol. 2, 4.2.2, Theorem B (6 operations, any magnitudes).
    """
    total = left + right
    virtual = total - left
    return total, (left - (total - virtual)) + (right - virtual)


def _split(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    # Veltkamp: 2**27 + 1 cuts the 53 bits into 26 and 26. Scaled down first where the product would overflow.
    large = np.abs(values) > 2.0**996
    scaled = np.where(large, values * 2.0**-28, values)
    shifted = scaled * 134217729.0
    high = shifted - (shifted - scaled)
    low = scaled - high
    factor = np.where(large, 2.0**28, 1.0)
    return high * factor, low * factor


def two_prod(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The rounded float64 product p and its error e, so that p + e == left * right exactly.

    Numerics:
        Exact when no part underflows: it suffices that |left * right| >= 2**-968. The error of a product that is not finite is 0.

    References:
        Dekker, "A floating-point technique for extending the available precision", 1971.
    """
    product = left * right
    with np.errstate(invalid="ignore", over="ignore"):
        left_high, left_low = _split(left)
        right_high, right_low = _split(right)
        error = left_low * right_low - (((product - left_high * right_high) - left_low * right_high) - left_high * right_low)
    return product, np.where(np.isfinite(product), error, 0.0)


def round_to_odd(values: npt.NDArray[np.float64], remainder: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Values + remainder rounded to odd in float64, where `values` is their sum rounded to nearest.

    A second rounding, to a format of at most 51 bits, then gives what a single rounding of the exact sum gives.

    References:
        Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
    """
    values = widen(values)
    is_even = (values.view(np.int64) & 1) == 0
    towards = np.where(remainder > 0, np.inf, -np.inf)
    adjust = (remainder != 0) & is_even & np.isfinite(values)
    return np.where(adjust, np.nextafter(values, towards), values)


def fma32(left: npt.ArrayLike, right: npt.ArrayLike, addend: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Left * right + addend with a single rounding to float32, as a hardware FMA computes it.

    Args:
        left, right, addend: float32 arrays that broadcast.

    Numerics:
        Exact: the product of two float32 numbers is exact in float64, the sum is rounded to odd, then once to float32.

    Example:
        >>> tiny = np.float32(1 + 2**-12)
        >>> float(fma32(tiny, tiny, -(tiny * tiny))) == 2.0**-24
        True
    """
    product = np.asarray(left, dtype=np.float32).astype(np.float64) * np.asarray(right, dtype=np.float32).astype(np.float64)
    added = np.asarray(addend, dtype=np.float32).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        total, error = two_sum(product, added)
        error = np.where(np.isfinite(total), error, 0.0)
        return round_to_odd(total, error).astype(np.float32)


def fma64(left: npt.ArrayLike, right: npt.ArrayLike, addend: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Left * right + addend with a single rounding to float64, as a hardware FMA computes it.

    Args:
        left, right, addend: float64 arrays that broadcast.

    Numerics:
        Exact where `two_prod` is: no part of the product underflows.

    Example:
        >>> tiny = np.float64(1 + 2**-27)
        >>> float(fma64(tiny, tiny, -(tiny * tiny))) == 2.0**-54
        True

    References:
        Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        left, right, addend = np.broadcast_arrays(*(np.asarray(part, dtype=np.float64) for part in (left, right, addend)))
        product, low = two_prod(left, right)
        upper, lower = two_sum(addend, low)
        head, tail = two_sum(product, upper)
        rest, error = two_sum(tail, lower)
        return np.where(np.isfinite(head), head + round_to_odd(rest, np.where(np.isfinite(error), error, 0.0)), product + addend)
