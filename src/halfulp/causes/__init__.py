"""Why two implementations differ: `explain` changes one thing at a time and measures what becomes of the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .cause import Cause, Experiment, Explanation

if TYPE_CHECKING:
    from .compilation.compile_backend import checked_graphs
    from .explainer import explain

__all__ = ["Cause", "Experiment", "Explanation", "checked_graphs", "explain"]

__getattr__ = on_first_use(__name__, {"checked_graphs": "compilation.compile_backend", "explain": "explainer"})
