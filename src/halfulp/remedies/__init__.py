"""What to do: tolerances that are derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .tolerance import StoredTolerance, TensorTolerance, Tolerance

if TYPE_CHECKING:
    from .suggestion import suggest_tolerance

__all__ = ["StoredTolerance", "TensorTolerance", "Tolerance", "suggest_tolerance"]

__getattr__ = on_first_use(__name__, {"suggest_tolerance": "suggestion"})
