"""What to do: tolerances that are derived."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .tolerance import TensorTolerance, Tolerance

if TYPE_CHECKING:
    from .suggesting import suggest_tolerance

__all__ = ["TensorTolerance", "Tolerance", "suggest_tolerance"]


def __getattr__(name: str) -> Any:
    if name != "suggest_tolerance":
        raise AttributeError(f"module 'halfulp.remedies' has no attribute {name!r}")
    return import_module(".suggesting", __name__).suggest_tolerance
