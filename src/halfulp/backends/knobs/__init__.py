"""What can be changed about how PyTorch computes, one knob for each, with what it touches and how it is put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazily import on_first_use
from .knob import Knob, NotApplicable

if TYPE_CHECKING:
    from .table import knobs

__all__ = ["Knob", "NotApplicable", "knobs"]

__getattr__ = on_first_use(__name__, {"knobs": "table"})
