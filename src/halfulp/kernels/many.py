"""judge_all(): judges many solutions of one problem side by side, each in processes of its own, so that none can harm another."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

from ..documents.journal import Journal
from ..errors import HalfulpError
from ..process.versions import versions
from ..verdicts.verdict import Verdict
from .apart import Apart
from .budget import BUDGET_S
from .judging import beside, judge
from .problems.formats import read_problem, solution_file
from .problems.problem import Problem
from .result import KernelReport, KernelResult


def judge_all(
    problem: str | Path,
    solutions: Sequence[str | Path],
    *,
    declared: str | None = None,
    budget_s: float = BUDGET_S,
    seed: int = 0,
    processes: int | None = None,
    resume: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> KernelReport:
    """Are these kernels right?

    Args:
        problem, declared, budget_s, seed: see `judge`; the budget is that of each solution.
        solutions: Python files. processes: how many are judged at a time; by default one for each processor.
        resume: a file in which results are kept as they come, so that an interrupted run goes on there. A solution that has changed since
            is judged again.
        progress: called with a few words whenever one is done.

    Returns:
        A `KernelReport` with a result for each; after Ctrl-C with those that were done, and complete=False.

    Raises:
        CaseFileError: the problem can't be read, or a solution is no file.
        InputError: the file to resume from belongs to another run.
    """
    chosen = read_problem(problem)
    told = progress or (lambda _: None)
    keys = {str(solution): _key(solution, chosen) for solution in solutions}
    source = " ".join(_hash(file) for file in (chosen.file, *beside(chosen.file)))
    settings = {
        "problem": chosen.name, "source": source, "declared": declared, "budget_s": budget_s, "seed": seed,
        "version": versions()["halfulp"],
    }  # fmt: skip
    journal = Journal(resume, settings, of="solutions")
    left = [file for file in keys if keys[file] not in journal.parts]
    complete, of = True, len(keys)
    asked = (str(problem), declared, budget_s, seed)
    try:
        for file, result in _one(asked, left, progress) if len(keys) == 1 else _side_by_side(asked, left, processes):
            journal.add(keys[file], json.loads(KernelReport((result,)).to_json()))
            if of > 1:
                told(f"{len(journal.parts)} of {of}: {Path(file).name} {result.answer}")
    except KeyboardInterrupt:
        complete = False
    done = [journal.parts[key] for key in keys.values() if key in journal.parts]
    results = tuple(KernelReport.from_json(json.dumps(part)).results[0] for part in done)
    return KernelReport(results, complete=complete)


def _key(solution: str | Path, problem: Problem) -> str:
    file, _ = solution_file(solution, problem.entry)
    return f"{solution} {_hash(file)}"


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else ""


Asked = tuple[str, "str | None", float, int]


def _one(asked: Asked, files: Sequence[str], progress: Callable[[str], None] | None) -> Iterator[tuple[str, KernelResult]]:
    problem, declared, budget_s, seed = asked
    for file in files:
        yield file, judge(problem, file, declared=declared, budget_s=budget_s, seed=seed, progress=progress)


def _side_by_side(asked: Asked, files: Sequence[str], processes: int | None) -> Iterator[tuple[str, KernelResult]]:
    """Each solution with its result, as they finish."""
    if not files:
        return
    own, all_of_them = threading.local(), list[Apart]()

    def judged(file: str) -> KernelResult:
        if not hasattr(own, "apart"):
            own.apart = Apart()
            all_of_them.append(own.apart)
        problem, declared, budget_s, seed = asked
        try:
            return own.apart.judged(problem, file, declared=declared, budget_s=budget_s, seed=seed)
        except HalfulpError as error:
            return _lost(file, str(error))

    pool = ThreadPoolExecutor(min(processes or os.cpu_count() or 1, len(files)), thread_name_prefix="halfulp-judging")
    try:
        waiting: dict[Future[KernelResult], str] = {pool.submit(judged, file): file for file in files}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for apart in all_of_them:
            apart.end()


def _lost(file: str, why: str) -> KernelResult:
    return KernelResult(Verdict.UNDECIDED, why, solution=Path(file).stem)
