"""run_jobs: the same case in several fresh processes side by side, each with environment variables of its own.

Functions travel by cloudpickle, by value where their module can't be imported (notebooks, case files). A process that fails is reported with its last lines and harms nothing.
"""

from __future__ import annotations

import math
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...backends.knobs.settings import inductor_settings, read_settings
from ...cases.deadline import now
from ...differences import Leaf
from ...process import lifeline
from ...words.stage import Stage

OVER = "time ran out"

TIMEOUT_S = 180.0
"""A process that takes longer is ended: loading PyTorch and compiling a model takes a tenth of it."""


@dataclass(frozen=True)
class Job:
    """What one process does.

    Attributes:
        name: for progress and errors. environment: variables set for it.
        sides: names of the sides that it runs ("actual", "expected").
        compiled: keyword arguments of torch.compile for `actual`; None where it runs as it is. frozen: whether parameters are frozen then.
        fresh_cache: whether nothing that was compiled or timed before is used.
    """

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    sides: tuple[str, ...] = ("actual", "expected")
    compiled: Mapping[str, Any] | None = None
    frozen: bool = False
    fresh_cache: bool = False


@dataclass(frozen=True, eq=False)
class Reply:
    """What a process gave.

    Attributes:
        outputs: of each side that ran. choices: kernels that a compiler chose by timing: (what, chosen, milliseconds of each).
        error: "" or why there is nothing.
    """

    outputs: Mapping[str, tuple[Leaf, ...]]
    choices: tuple[tuple[str, str, Mapping[str, float]], ...] = ()
    error: str = ""


def run_jobs(
    payload: Mapping[str, Any],
    jobs: Sequence[Job],
    *,
    at_once: int | None = None,
    deadline: float = math.inf,
    progress: Callable[[str], None] | None = None,
) -> list[Reply]:
    """The replies of fresh processes, one for each job, in order.

    Args:
        payload: "actual", "expected", "inputs", "keywords", "gradients", "seed", "declared".
        jobs: what each does. at_once: how many run side by side; as many as there are cores by default.
        deadline: the time (`now`) at which processes are ended, and none is started. progress: told how far it is.
    """
    import cloudpickle

    at_once = at_once or max(1, os.cpu_count() or 1)
    try:
        text = cloudpickle.dumps({**payload, "settings": read_settings(), "inductor": inductor_settings()})
    except Exception as error:
        return [Reply({}, error=f"the functions can't be sent to another process: {type(error).__name__}: {error}")] * len(jobs)
    replies: dict[int, Reply] = {}
    running: dict[int, _Running] = {}
    waiting = list(enumerate(jobs))
    try:
        while waiting or running:
            if now() > deadline:
                replies |= {place: Reply({}, error=OVER) for place, _ in waiting}
                waiting = []
                for place, worker in list(running.items()):
                    if not worker.is_over:
                        worker.end()
                        replies[place] = Reply({}, error=OVER)
                        del running[place]
            while waiting and len(running) < at_once:
                place, job = waiting.pop(0)
                running[place] = _Running(job, text)
            for place, worker in list(running.items()):
                if worker.is_over:
                    replies[place] = worker.reply()
                    del running[place]
                    if progress is not None:
                        progress(Stage(f"fresh processes: {len(replies)} of {len(jobs)} done", len(replies), len(jobs)))
            time.sleep(0.02)
    finally:
        for each in running.values():
            each.end()
    return [replies[place] for place in range(len(jobs))]


class _Running:
    """A process that does a job. What it is told, answers and prints are files without names, so that nothing is left of them."""

    def __init__(self, job: Job, payload: bytes) -> None:
        self._told, self._answer, self._log = (tempfile.TemporaryFile("a+b") for _ in range(3))  # noqa: SIM115  # closed by `end`
        pickle.dump(job, self._told)
        self._told.write(payload)
        self._told.seek(0)
        # Threads that wait passively: processes side by side would otherwise take the cores from each other.
        environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", **job.environment}
        environment["PYTHONPATH"] = os.pathsep.join(name for name in sys.path if name)
        if job.fresh_cache:  # compiled headers are kept: they decide no number, and take ten seconds
            environment["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
        try:
            self._process = lifeline.start(
                [sys.executable, "-m", "halfulp.causes.processes.worker"],
                environment=environment, stdin=self._told, stdout=self._answer, stderr=self._log,
            )  # fmt: skip
        except BaseException:
            self._close()
            raise
        self._started = time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether it ended, or took too long."""
        return self._process.poll() is not None or time.monotonic() - self._started > TIMEOUT_S

    def reply(self) -> Reply:
        """What it gave."""
        late = self._process.poll() is None
        self.end(close=False)
        self._answer.seek(0)
        self._log.seek(0)
        answer, said = self._answer.read(), self._log.read().decode(errors="replace").strip().splitlines()
        self.end()
        if late:
            return Reply({}, error=f"the process took more than {TIMEOUT_S:g} s")
        if self._process.returncode or not answer:
            return Reply({}, error=f"exit {self._process.returncode}: {said[-1][:200] if said else 'no output'}")
        return pickle.loads(answer)  # written by our own child into a file that only it and this process can reach

    def end(self, *, close: bool = True) -> None:
        """End it, and what it started."""
        lifeline.end(self._process)
        if close:
            self._close()

    def _close(self) -> None:
        for buffered_random in (self._told, self._answer, self._log):
            buffered_random.close()
