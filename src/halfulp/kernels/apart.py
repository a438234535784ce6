"""Apart: judgements in a process of their own, so that a reference that crashes takes neither a training loop nor other solutions with it.

References are run on inputs that nobody has tried. PyTorch checks most of what it is given, but not everything: `embedding_bag` reads out
of bounds when its offsets do.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..backends.workers.wire import Message
from ..backends.workers.worker import Worker, raised
from ..errors import WorkerError
from ..verdicts.verdict import Verdict
from .result import KernelReport, KernelResult

MOST_ENDS = 3
"""How many times a judgement is restarted without the question at which the process died."""
LONGEST = 20
"""How many budgets an answer may take: compiling and restarting take longer than questions do."""
TOLD_S = 0.2
"""How often to look which question is being asked."""
STUCK = 4
"""How many budgets one question may take: no question gets more than a half, and a busy machine may be several times as slow. A reference
that goes on until something is small never ends where a number is infinite."""
CRASHES = ("SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL")
"""How code of the reference's own ends a process. Any other end may be the work of a solution, which would choose what it is asked."""


class Apart:
    """One process. It is started when it is first needed, and again after a failure."""

    def __init__(self) -> None:
        self._worker = Worker("the reference", sys.executable, program=("-m", "halfulp.kernels.judging_server"))
        self._ended = False

    def judged(
        self, problem: str | Path, solution: str | Path, *, declared: str | None, budget_s: float, seed: int,
        progress: Callable[[str], None] | None = None,
    ) -> KernelResult:  # fmt: skip
        """Run `judge` in that process.

        Raises:
            HalfulpError: what `judge` raises.
        """
        self._worker.answer_s = 300.0 + LONGEST * budget_s
        without: list[str] = []
        ends = 0
        with tempfile.TemporaryDirectory(prefix="halfulp-judging-") as folder:
            told = Path(folder, "told")
            while True:
                header: dict[str, Any] = {
                    "problem": str(problem), "solution": str(solution), "declared": declared, "budget_s": budget_s, "seed": seed,
                    "without": without, "told": str(told), "path": sys.path, "folder": os.getcwd(),
                }  # fmt: skip
                told.unlink(missing_ok=True)
                watch = _Watch(told, progress, self._worker.end, STUCK * budget_s)
                try:
                    if self._ended:
                        raise WorkerError("Got a question after the end of the process: it was ended. Needed: another one.")
                    with watch:
                        answer = self._worker.ask(Message(header))
                except WorkerError as error:
                    asked = told.read_text(encoding="utf-8") if told.is_file() else ""
                    ends += not watch.is_stuck and not any(name in str(error) for name in CRASHES)
                    if self._ended or "died" not in str(error) or ": " not in asked or len(without) == MOST_ENDS or ends > 1:
                        return _undecided(error, asked, Path(solution).stem)
                    without.append(asked)
                    continue
                assert answer is not None
                result = KernelReport.from_json(str(raised(answer, "the reference")["report"])).results[0]
                notes = [f'The reference crashed, or never finished, on the question "{asked}", so it was not asked.' for asked in without]
                return replace(result, notes=(*result.notes, *notes))

    def end(self) -> None:
        """End the process now, whatever it is doing."""
        self._ended = True
        self._worker.end()


class _Watch:
    """While inside, looks which question a process is at: reports it whenever it changes, and ends the process if it doesn't.

    Args:
        file: where the process writes it. progress: called with it. end: ends the process. longest_s: that a question may take.

    Attributes:
        is_stuck: whether the process was ended.
    """

    def __init__(self, file: Path, progress: Callable[[str], None] | None, end: Callable[[], None], longest_s: float) -> None:
        self._file, self._progress, self._end, self._longest_s = file, progress, end, longest_s
        self.is_stuck = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        last, since = "", time.monotonic()
        while not self._over.wait(TOLD_S):
            with contextlib.suppress(OSError):
                if (words := self._file.read_text(encoding="utf-8")) and words != last:
                    last, since = words, time.monotonic()
                    if self._progress is not None:
                        self._progress(words)
            if ": " in last and time.monotonic() > since + self._longest_s:  # loading and compiling have limits of their own
                self.is_stuck = True
                self._end()
                return


def _undecided(error: WorkerError, asked: str, solution: str) -> KernelResult:
    what = str(error).partition("process: it ")[2].partition(". Needed")[0] or "ended"
    where = f' on the question "{asked}"' if asked else ""
    return KernelResult(
        Verdict.UNDECIDED, f"The process that runs the reference {what}{where}. Nothing was decided. Run the reference by itself.",
        solution=solution,
    )  # fmt: skip


_OF_THREAD = threading.local()


def of_this_thread() -> Apart:
    """The process of this thread. Threads keep theirs, because starting one takes two seconds."""
    if not hasattr(_OF_THREAD, "apart"):
        _OF_THREAD.apart = Apart()
    return _OF_THREAD.apart
