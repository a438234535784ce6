"""Origins: where two recorded runs begin to differ by more than rounding. NumPy only, but for what runs functions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .locating import locate
from .origin import NonFinite, Origin, Point

if TYPE_CHECKING:
    from .reproducing import repro

__all__ = ["NonFinite", "Origin", "Point", "locate", "repro"]


def __getattr__(name: str) -> Any:
    if name != "repro":
        raise AttributeError(f"module 'halfulp.origins' has no attribute {name!r}")
    return import_module(".reproducing", __name__).repro
