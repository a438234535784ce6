"""Sweeps: many cases at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .benchmark import Benchmark
from .result import Cell, Matrix, read_matrix
from .slopes import Growth
from .swept import Swept
from .watch import Baseline, Watch
from .worst_inputs import Worst

if TYPE_CHECKING:
    from .case_watch import watched
    from .growth_sweep import growth
    from .matrix_sweep import matrix
    from .plan import Plan, read_plan
    from .summary import swept_of
    from .sweep_run import sweep
    from .worst_search import worst

__all__ = [
    "Baseline", "Benchmark", "Cell", "Growth", "Matrix", "Plan", "Swept", "Watch", "Worst", "growth", "matrix", "read_matrix", "read_plan",
    "sweep", "swept_of", "watched", "worst",
]  # fmt: skip

__getattr__ = on_first_use(
    __name__,
    {
        "matrix": "matrix_sweep", "growth": "growth_sweep", "watched": "case_watch", "worst": "worst_search", "sweep": "sweep_run",
        "swept_of": "summary", "Plan": "plan", "read_plan": "plan",
    },
)  # fmt: skip
