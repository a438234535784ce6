"""Datasheets: how exact a library is on this machine, measured, from its rounding to the ulp error of each function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .sheet import Accuracy, Datasheet, read_datasheet

if TYPE_CHECKING:
    from .measurement import datasheet

__all__ = ["Accuracy", "Datasheet", "datasheet", "read_datasheet"]

__getattr__ = on_first_use(__name__, {"datasheet": "measurement"})
