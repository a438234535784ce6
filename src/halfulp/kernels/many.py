"""judge_all(): many solutions of one problem, side by side, each in processes of its own: what one does costs no other."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from ..errors import HalfulpError
from ..verdicts.verdict import Verdict
from .judging import BUDGET_S, judge
from .problem import read_problem
from .result import KernelReport, KernelResult


def judge_all(
    problem: str | Path,
    solutions: Sequence[str | Path],
    *,
    declared: str | None = None,
    budget_s: float = BUDGET_S,
    seed: int = 0,
    processes: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> KernelReport:
    """Are these kernels right?

    Args:
        problem, declared, budget_s, seed: see `judge`; the budget is that of each solution.
        solutions: Python files. processes: how many are judged at a time; by default one for each processor.
        progress: called with a few words whenever one is done.

    Returns:
        A `KernelReport` with a result for each; after Ctrl-C with those that were done, and complete=False.

    Raises:
        CaseFileError: the problem can't be read.
    """
    read_problem(problem)
    told = progress or (lambda _: None)
    files = [Path(solution) for solution in solutions]
    if len(files) == 1:
        return KernelReport((judge(problem, files[0], declared=declared, budget_s=budget_s, seed=seed, progress=progress),))
    found: dict[Path, KernelResult] = {}
    count = processes or os.cpu_count() or 1
    # Started anew and not forked: threads of PyTorch don't survive a fork.
    pool = ProcessPoolExecutor(min(count, max(1, len(files))), mp_context=get_context("spawn"))
    try:
        waiting: dict[Future[KernelResult], Path] = {
            pool.submit(_judged, str(problem), str(file), declared, budget_s, seed): file for file in files
        }
        for done in as_completed(waiting):
            file = waiting[done]
            try:
                found[file] = done.result()
            except BrokenProcessPool:
                found[file] = _lost(file, "The process that was judging this solution died before it had an answer.")
            told(f"{len(found)} of {len(files)}: {file.name} {found[file].answer}")
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        return KernelReport(tuple(found[file] for file in files if file in found), complete=False)
    pool.shutdown()
    return KernelReport(tuple(found[file] for file in files))


def _judged(problem: str, solution: str, declared: str | None, budget_s: float, seed: int) -> KernelResult:
    try:
        return judge(problem, solution, declared=declared, budget_s=budget_s, seed=seed)
    except HalfulpError as error:
        return _lost(Path(solution), str(error))


def _lost(file: Path, why: str) -> KernelResult:
    return KernelResult(Verdict.UNDECIDED, why, solution=file.stem)
