"""How a difference is distributed along each axis: per channel, row, column, on the border and in the tail.

Rounding spreads evenly over a tensor; a mistake often sits in one channel, at the edge, or after the last full block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from .leaves import leaves_of

TAIL_BLOCK = 16
"""Kernels process blocks of 4, 8 or 16 lanes; 16 contains the other two, so what follows the last full 16 is the tail."""


@dataclass(frozen=True, eq=False)
class AxisProfile:
    """The difference summed over every other axis.

    Attributes:
        axis: which axis.
        bias: shape (length,): mean of actual - reference at each index.
        rms: shape (length,): root mean square at each index.
        border_rms, interior_rms: over the first and last index, and over the others (0.0 where there are none).
        tail_rms: over the indices after the last full block of 16 (0.0 where the length is a multiple of 16).
    """

    axis: int
    bias: npt.NDArray[np.float64]
    rms: npt.NDArray[np.float64]
    border_rms: float
    interior_rms: float
    tail_rms: float


def profile(actual: object, reference: object) -> tuple[AxisProfile, ...]:
    """Where along each axis `actual` differs from `reference`.

    Args:
        actual, reference: two tensors or arrays of one shape with at least one axis.

    Returns:
        One profile per axis. Places where a side is not finite count as equal.

    Raises:
        InputError: not two tensors of the same shape.

    Example:
        >>> import numpy as np
        >>> good = np.zeros((4, 3)); bad = good.copy(); bad[:, 2] = 0.5
        >>> profile(bad, good)[1].bias.tolist()
        [0.0, 0.0, 0.5]
    """
    left, right = leaves_of(actual), leaves_of(reference)
    if len(left) != 1 or len(right) != 1 or left[0].shape != right[0].shape or not left[0].shape:
        shapes = [[leaf.shape for leaf in side] for side in (left, right)]
        raise InputError(
            f"Got shapes {shapes[0]} and {shapes[1]}. Needed: two tensors of the same shape with at least one axis. "
            "A profile follows one tensor along its axes. Pass one tensor of each result."
        )
    with np.errstate(invalid="ignore"):
        difference = left[0].float64() - right[0].float64()
    difference = np.where(np.isfinite(difference), difference, 0.0)
    return tuple(axis_profile(difference, axis) for axis in range(difference.ndim))


def axis_profile(difference: npt.NDArray[np.float64], axis: int) -> AxisProfile:
    """The profile of a difference along one axis."""
    length = difference.shape[axis]
    along = np.moveaxis(difference, axis, 0).reshape(length, difference.size // length if length else 0)
    squared = np.mean(along**2, axis=1) if along.size else np.zeros(length)

    def rms_of(indices: npt.NDArray[np.bool_]) -> float:
        return float(np.sqrt(squared[indices].mean())) if indices.any() else 0.0

    positions = np.arange(length)
    border = (positions == 0) | (positions == length - 1)
    tail = positions >= length - length % TAIL_BLOCK
    return AxisProfile(
        axis=axis,
        bias=along.mean(axis=1) if along.size else np.zeros(length),
        rms=np.sqrt(squared),
        border_rms=rms_of(border),
        interior_rms=rms_of(~border),
        tail_rms=rms_of(tail),
    )
