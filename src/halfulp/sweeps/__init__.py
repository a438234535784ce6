"""Sweeps: many cases at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .benchmark import Benchmark
from .result import Cell, Matrix, read_matrix
from .slopes import Growth
from .watch import Baseline, Watch

if TYPE_CHECKING:
    from .growing import growth
    from .sweeping import matrix
    from .watching import watched

__all__ = ["Baseline", "Benchmark", "Cell", "Growth", "Matrix", "Watch", "growth", "matrix", "read_matrix", "watched"]

__getattr__ = on_first_use(__name__, {"matrix": "sweeping", "growth": "growing", "watched": "watching"})
