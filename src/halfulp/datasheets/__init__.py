"""Datasheets: how exact a library is on this machine, measured, from its rounding to the ulp error of each function."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .sheet import Accuracy, Datasheet, read_datasheet

if TYPE_CHECKING:
    from .measuring import datasheet

__all__ = ["Accuracy", "Datasheet", "datasheet", "read_datasheet"]


def __getattr__(name: str) -> Any:
    if name != "datasheet":
        raise AttributeError(f"module 'halfulp.datasheets' has no attribute {name!r}")
    return import_module(".measuring", __name__).datasheet
