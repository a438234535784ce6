"""Why two implementations differ: `explain` changes one thing at a time and measures what becomes of the difference."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .cause import Cause, Experiment, Explanation

if TYPE_CHECKING:
    from .compiling.checking import checked_graphs
    from .explaining import explain

__all__ = ["Cause", "Experiment", "Explanation", "checked_graphs", "explain"]

_HOME = {"checked_graphs": ".compiling.checking", "explain": ".explaining"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'halfulp.causes' has no attribute {name!r}")
    return getattr(import_module(_HOME[name], __name__), name)
