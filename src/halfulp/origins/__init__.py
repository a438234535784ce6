"""Origins: where two recorded runs begin to differ by more than rounding. NumPy only, but for what runs functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .locator import locate
from .origin import NonFinite, Origin, Point

if TYPE_CHECKING:
    from .reproducer import repro

__all__ = ["NonFinite", "Origin", "Point", "locate", "repro"]

__getattr__ = on_first_use(__name__, {"repro": "reproducer"})
