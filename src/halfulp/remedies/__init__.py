"""What to do: tolerances that are derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .tolerances import Need, StoredTensorTolerance, StoredTolerance, TensorTolerance, Tolerance

if TYPE_CHECKING:
    from .suggestion import tolerance

__all__ = ["Need", "StoredTensorTolerance", "StoredTolerance", "TensorTolerance", "Tolerance", "tolerance"]

__getattr__ = on_first_use(__name__, {"tolerance": "suggestion"})
