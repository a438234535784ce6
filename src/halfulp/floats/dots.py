"""Dot products better than working precision: one correctly rounded, one vectorized in doubled precision."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .formats import FLOAT64, Format
from .rounding import round_to_format
from .transforms import round_to_odd, two_prod, two_sum

FloatArray = npt.NDArray[np.float64]


def correctly_rounded_dot(left: npt.ArrayLike, right: npt.ArrayLike, target: Format = FLOAT64) -> float:
    """The dot product of two vectors, rounded once.

    Args:
        left, right: vectors of one length, float64 or narrower; finite.
        target: the format to round to.

    Returns:
        The number of `target` that is nearest to the exact dot product (ties to even); 0.0 for empty vectors.

    Numerics:
        Exact products by `two_prod`, exactly rounded sum by `math.fsum`, and rounding to odd in between so that the
        second rounding does no harm. Products below 2**-968 are outside what `two_prod` can split.

    Example:
        >>> correctly_rounded_dot([2.0**60, 1.0, -(2.0**60)], [1.0, 1.0, 1.0])
        1.0
    """
    product, error = two_prod(np.asarray(left, dtype=np.float64).ravel(), np.asarray(right, dtype=np.float64).ravel())
    parts = product.tolist() + error.tolist()
    nearest = math.fsum(parts)
    if target == FLOAT64:
        return nearest
    remainder = math.fsum([*parts, -nearest])
    odd = round_to_odd(np.array(nearest), np.array(remainder))
    return float(round_to_format(odd, target))


def doubled_dot(left: npt.ArrayLike, right: npt.ArrayLike, *, axis: int = -1) -> FloatArray:
    """Dot products along an axis, as if computed in twice float64's precision and then rounded.

    Args:
        left, right: arrays that broadcast, float64 or narrower.
        axis: the axis to sum over.

    Returns:
        float64 array without that axis; zeros where the axis is empty.

    Numerics:
        |result - exact| <= u |exact| + gamma_n(u)^2 sum |left||right| + 5 n 2**-1074, u = 2**-53 (proved; the
        last term is for products that underflow).

    Example:
        >>> float(doubled_dot([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]))
        1.0

    References:
        Ogita, Rump and Oishi, "Accurate sum and dot product", SISC 26(6), 2005, Algorithm 5.3 (Dot2).
    """
    first, second = np.broadcast_arrays(np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64))
    first, second = np.moveaxis(first, axis, 0), np.moveaxis(second, axis, 0)
    total = np.zeros(first.shape[1:])
    correction = np.zeros(first.shape[1:])
    for left_term, right_term in zip(first, second):
        product, product_error = two_prod(left_term, right_term)
        total, sum_error = two_sum(total, product)
        correction += product_error + sum_error
    return total + correction


def doubled_matmul(left: npt.ArrayLike, right: npt.ArrayLike) -> FloatArray:
    """The product of two matrices with `doubled_dot` for each element.

    Args:
        left: shape (..., m, k). right: shape (..., k, n), leading dimensions broadcast.

    Returns:
        float64 array of shape (..., m, n). Cost: about 40 float64 operations for each of the m n k products.
    """
    first = np.asarray(left, dtype=np.float64)[..., :, :, None]
    second = np.asarray(right, dtype=np.float64)[..., None, :, :]
    return doubled_dot(first, second, axis=-2)
