"""Kernels that were generated: is one right, or merely close? The reference is run here, the solution in a sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .result import Asked, KernelReport, KernelResult

if TYPE_CHECKING:
    from .judging import judge
    from .many import judge_all
    from .problems.formats import read_problem
    from .problems.problem import Problem

__all__ = ["Asked", "KernelReport", "KernelResult", "Problem", "judge", "judge_all", "read_problem"]

__getattr__ = on_first_use(
    __name__, {"judge": "judging", "judge_all": "many", "Problem": "problems.problem", "read_problem": "problems.formats"}
)
