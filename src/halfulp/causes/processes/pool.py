"""run_jobs: the same case in several fresh processes side by side, each with environment variables of its own.

Functions travel by cloudpickle, by value where their module can't be imported (notebooks, case files), in a private temporary folder that
is removed afterwards. A process that fails is reported with its last lines and harms nothing.
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...backends.knobs.settings import inductor_settings, read_settings
from ...differences import Leaf

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
        deadline: `time.monotonic` after which no further process is started. progress: told how far it is.
    """
    import cloudpickle

    at_once = at_once or max(1, os.cpu_count() or 1)
    with tempfile.TemporaryDirectory(prefix="halfulp-") as folder:
        try:
            text = cloudpickle.dumps({**payload, "settings": read_settings(), "inductor": inductor_settings()})
        except Exception as error:
            return [Reply({}, error=f"the functions can't be sent to another process: {type(error).__name__}: {error}")] * len(jobs)
        (Path(folder) / "payload").write_bytes(text)
        replies: dict[int, Reply] = {}
        running: dict[int, tuple[subprocess.Popen[str], float]] = {}
        waiting = list(enumerate(jobs))
        try:
            while waiting or running:
                if time.monotonic() > deadline:
                    replies |= {place: Reply({}, error="the time was over") for place, _ in waiting}
                    waiting = []
                while waiting and len(running) < at_once:
                    place, job = waiting.pop(0)
                    running[place] = (_start(folder, place, job), time.monotonic())
                for place, (process, started) in list(running.items()):
                    if process.poll() is not None or time.monotonic() - started > TIMEOUT_S:
                        replies[place] = _finish(folder, place, process)
                        del running[place]
                        if progress is not None:
                            progress(f"fresh processes: {len(replies)} of {len(jobs)} done")
                time.sleep(0.02)
        finally:
            for process, _ in running.values():
                process.kill()
                process.wait()
        return [replies[place] for place in range(len(jobs))]


def _start(folder: str, place: int, job: Job) -> subprocess.Popen[str]:
    own = Path(folder) / str(place)
    own.mkdir()
    (own / "job").write_bytes(pickle.dumps(job))
    # Threads that wait passively: processes side by side would otherwise take the cores from each other.
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", **job.environment}
    environment["PYTHONPATH"] = os.pathsep.join(each for each in sys.path if each)
    if job.fresh_cache:  # compiled headers are kept: they decide no number, and take ten seconds
        environment["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
    with (own / "log").open("w") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "halfulp.causes.processes.worker", folder, str(place)],
            stdout=log,
            stderr=log,
            env=environment,
            text=True,
        )


def _finish(folder: str, place: int, process: subprocess.Popen[str]) -> Reply:
    own = Path(folder) / str(place)
    if process.poll() is None:
        process.kill()
        process.wait()
        return Reply({}, error=f"it took more than {TIMEOUT_S:g} s")
    reply = own / "reply"
    if not reply.is_file():
        lines = (own / "log").read_text(errors="replace").strip().splitlines()
        return Reply({}, error=f"exit {process.returncode}: {lines[-1][:200] if lines else 'no output'}")
    return pickle.loads(reply.read_bytes())  # written by our own child into a folder that only this user can read
