"""Which elements of a tensor are kept where not all are: the same on every side of a comparison."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def sampled_places(elements: int, count: int) -> npt.NDArray[np.int64]:
    """`count` different places in a flattened tensor of `elements` elements, spread evenly.

    They depend on nothing but the two numbers, and the first places of a longer list are the shorter list: two recordings that kept
    different shares of a tensor still have elements in common. Place k is k steps of the golden section further, modulo the
    size, with the step made coprime to the size: no place comes twice (Knuth, The Art of Computer Programming 3, section 6.4).

    Example:
        >>> sampled_places(10, 4).tolist()
        [0, 7, 4, 1]
    """
    if count >= elements:
        return np.arange(elements, dtype=np.int64)
    step = max(1, round(_GOLDEN * elements))
    while math.gcd(step, elements) != 1:
        step += 1
    return (np.arange(count, dtype=np.int64) * step) % elements
