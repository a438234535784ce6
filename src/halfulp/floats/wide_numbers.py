"""Numbers in a wider format, quietly: a signaling NaN, which memory that nobody wrote may hold, is a NaN like another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def widen(values: npt.ArrayLike, dtype: npt.DTypeLike = np.float64, *, copy: bool = False) -> npt.NDArray[Any]:
    """The same numbers in a wider dtype. Converting a signaling NaN is an invalid operation (IEEE 754-2019, 6.2): NumPy would warn."""
    with np.errstate(invalid="ignore"):
        return np.asarray(values).astype(dtype, copy=copy)
