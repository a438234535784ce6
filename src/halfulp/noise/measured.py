"""What the measuring pass finds of each op, for the samples that follow."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from ..ops.arithmetic import LARGEST_PIECE

PERTURBED = (torch.float64, torch.complex128)
"""The dtypes of results that are moved."""

ROOM = 2.0**1000
"""Numbers below stay finite, however they are moved; masks are filled with the most negative number, which doesn't."""


class Error(NamedTuple):
    """How far one result is moved, and whether it stays finite throughout (by the measuring pass)."""

    spread: float | torch.Tensor | None
    finite: bool


class Measured(NamedTuple):
    """What the measuring pass found of one op.

    Attributes:
        op: a sample that meets it at the same place treats it alike; None where more has to be done than to move its result.
        name: of the op, as the table has it. relative: its deviation relative to its result, where that is one number.
        errors: of its results. only: the deviation of the only result, where that is small, real and finite throughout, and its shape.
    """

    op: Any
    name: str
    relative: float | None
    errors: list[Error]
    only: Any = None
    shape: Any = None


class Again(NamedTuple):
    """What is done with an op when the tape is run again.

    Attributes:
        below: whether it is run past the modes of dtypes, which would do nothing.
        decided: what it gave where it decides on constants. known: what the measuring pass found of it, where its result is moved.
        position: of that, where the op is treated as if it were met for the first time. by_formula: whether a formula moves its result.
    """

    below: bool
    decided: torch.Tensor | None = None
    known: Measured | None = None
    position: int | None = None
    by_formula: bool = False


def only_of(values: list[Any], errors: list[Error]) -> tuple[Any, Any]:
    """The deviation of the only result of an op that nothing has to be asked about, and its shape; None for any other."""
    if len(values) != 1 or not errors[0].finite or not isinstance(values[0], torch.Tensor):
        return None, None
    value, spread = values[0], errors[0].spread
    is_plain = value.dtype == torch.float64 and 0 < value.numel() <= LARGEST_PIECE and (isinstance(spread, torch.Tensor) or spread)
    if not is_plain or (isinstance(spread, torch.Tensor) and spread.shape != value.shape):
        return None, None
    return spread if isinstance(spread, torch.Tensor) else float(spread or 0.0), value.shape


def is_finite(value: Any) -> bool:
    """Whether a result that would be moved has neither infinities nor NaN."""
    if not isinstance(value, torch.Tensor) or value.dtype not in PERTURBED:
        return True
    total = value.sum()  # without a temporary of the value's size; an overflow of the sum only costs time
    return math.isfinite(abs(total.item()))


def fits(errors: list[Error], values: list[Any]) -> bool:
    """Whether what was measured is of results of these shapes."""
    if len(errors) != len(values):
        return False
    return all(not isinstance(error.spread, torch.Tensor) or error.spread.shape == value.shape for error, value in zip(errors, values))
