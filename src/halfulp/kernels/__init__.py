"""Kernels that were generated: is one right, or merely close? The reference is run here, the solution in a sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .result import Asked, KernelReport, KernelResult

if TYPE_CHECKING:
    from .formats import read_problem
    from .judging import judge
    from .many import judge_all
    from .problem import Problem

__all__ = ["Asked", "KernelReport", "KernelResult", "Problem", "judge", "judge_all", "read_problem"]

__getattr__ = on_first_use(__name__, {"judge": "judging", "judge_all": "many", "Problem": "problem", "read_problem": "formats"})
