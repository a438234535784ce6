"""Sandbox: a solution in a process of its own, with limits on time, memory, files and network. What it prints is ignored."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import math
import os
import shutil
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ...backends.workers.environments import environment_of
from ...backends.workers.wire import Message
from ...backends.workers.worker import Worker
from ...errors import WorkerError
from ...process.fork_server import ForkServer
from ..problems.calls import Setting, State
from .packing import pack, unpack
from .place import CUDA, INTERPRETER, STAND_IN, is_lost, place_of
from .source import Source

MEMORY_BYTES = 8 << 30
"""Address space beyond what PyTorch maps: a thousand times what problems of the known benchmarks take at a million elements."""
FILE_BYTES = 1 << 28
"""The most bytes of one file: compiled kernels and their caches take some megabytes."""
START_S = 60.0
"""Importing PyTorch takes two seconds, and more if many start at once; what a solution imports at loading takes at least as long."""
COMPILED_S = 300.0
"""For a solution that compiles C++ when it is loaded: PyTorch's headers alone take a processor half a minute to a minute."""
THREADS = {"NUMBA_NUM_THREADS": "4", "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""A solution's own loops run in four threads, so that races show on any machine; those of libraries run in one."""
FIXED = {**THREADS, "PYTHONDONTWRITEBYTECODE": "1"}
"""Environment variables of every solution's process, read when Python and its libraries start."""
IMPORTED = (
    "halfulp.kernels.solutions.server", "halfulp.kernels.solutions.packing", "halfulp.kernels.solutions.streams",
    "halfulp.kernels.solutions.decoy", "halfulp.kernels.problems.stand_in", "halfulp.kernels.problems.facts", "halfulp.cases.poison",
    "halfulp.cases.precision_modes", "numpy.random", "numpy.testing",
)  # fmt: skip
"""The program of such a process, and what else it imports sooner or later."""
CACHES = ("TMPDIR", "HOME", "XDG_CACHE_HOME", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR", "TRITON_CACHE_DIR", "NUMBA_CACHE_DIR")
"""Environment variables that say where temporary files go."""


def _interpreter(text: str) -> str | Path:
    """The Python that runs a solution: this one, or that of Triton's own environment if the solution needs Triton and this one lacks it."""
    if "triton" not in text or importlib.util.find_spec("triton") is not None:
        return sys.executable
    return environment_of("triton").python() or sys.executable


@functools.cache
def _fork_server(python: str, _: int) -> ForkServer:
    """The one that starts an interpreter's processes, for this process: importing PyTorch takes two seconds, a fork 30 milliseconds."""
    return ForkServer(python, IMPORTED, FIXED)


NOT_STARTED = "not started"


class Failed(Exception):
    """Raised when a solution gives no result.

    Attributes:
        kind: "raises", "dies", "hangs" or "runs out of memory"; `NOT_STARTED` where its process ended before it saw the solution.
        words: what it said. attempts: what it tried, as in `Called.facts`.
    """

    def __init__(self, kind: str, words: str, attempts: Iterable[str] = ()) -> None:
        super().__init__(f"{kind}: {words}")
        self.kind, self.words, self.attempts = kind, words, tuple(attempts)


@dataclass(frozen=True, eq=False)
class Called:
    """The outcome of a call.

    Attributes:
        results: what was returned; with the buffers that changed in training mode, (results, buffers).
        facts: what the process saw: places of tensors among state and arguments that were "written", whether a result is "aliased", the
            "ops" that ran and those that are "whole" (see `Ops`), "attempts" and "patched" functions in words, "types" of results that are
            no plain tensors, whether the results of the call before were "overwritten" by this one, or changed "late".
        updated: the arguments that it wrote to, by their place among all tensors of the arguments, as they were after the call.
    """

    results: Any
    facts: dict[str, Any]
    updated: dict[int, torch.Tensor] = field(default_factory=dict)


class Sandbox:
    """One solution in its process.

    Args:
        solution: its file. text: what of it is run, where that is not all. secrets: files that it may not read (the problem's).
        helpers: files that it may import.
        answer_s: how long a call may take. first_s: how long the first one may, by default as long.
        cpu_s: processor time for all calls together.

    Attributes:
        held: what the system keeps it from, in words; known once it was started.
        answer_s, first_s: see there. source: what its text says. place: where it runs, see `place_of`.
    """

    def __init__(
        self, solution: Path, *, text: str | None = None, secrets: Iterable[Path] = (), helpers: Iterable[Path] = (),
        answer_s: float = 30.0, first_s: float | None = None, cpu_s: int = 600,
    ) -> None:  # fmt: skip
        self.solution = solution
        self.held: tuple[str, ...] = ()
        self._folder = tempfile.mkdtemp(prefix="halfulp-kernel-")
        self._finalizer = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._file = Path(self._folder, "solution.py")
        self._file.write_bytes(solution.read_bytes() if text is None else text.encode())
        for helper in helpers:
            shutil.copy(helper, self._folder)
        text = self._file.read_text(encoding="utf-8", errors="replace")
        self.source = Source(text)
        self.place = place_of(text)
        self._secrets = [os.path.realpath(path) for path in secrets]
        python = _interpreter(text)
        limits = json.dumps({"memory_bytes": MEMORY_BYTES, "cpu_s": cpu_s, "file_bytes": FILE_BYTES})
        self._worker = Worker(
            f"the solution {solution.name}", python, answer_s=START_S,
            environment={
                **dict.fromkeys(CACHES, self._folder), **FIXED,
                **({"TRITON_INTERPRET": "1"} if self.place in (STAND_IN, INTERPRETER) else {}),
            },
            program=("-m", IMPORTED[0], self._folder, limits, self.place, json.dumps(self._secrets)),
            fork_server=None if self.place == CUDA else _fork_server(str(python), os.getpid()),
        )  # fmt: skip
        self.answer_s, self.first_s = answer_s, answer_s if first_s is None else first_s
        self._built: tuple[str, tuple[Any, ...], int] | None = None
        self._generation = -1
        self._called = False
        self._starting: threading.Thread | None = None

    def start(self) -> None:
        """Start the process in the background: Python and PyTorch take more than a second."""
        self._worker.answer_s = START_S
        self._starting = threading.Thread(target=self._started, name="halfulp-kernel-start", daemon=True)
        self._starting.start()

    def _started(self) -> None:
        with contextlib.suppress(WorkerError):  # who asks it something starts it again, and is told why it can't be
            self._worker.start()

    def close(self) -> None:
        """End the process and remove its folder."""
        if self._starting is not None:
            self._starting.join()
        self._worker.close()
        self._finalizer()

    def load(self) -> tuple[list[str], dict[str, Any]]:
        """Run the file; returns the names that it defines, and facts.

        Raises:
            Failed: it raises, hangs, dies.
        """
        answer = self._ask({"do": "load", "file": str(self._file), "secrets": self._secrets})
        self._generation = self._worker.generation
        self.held = tuple(json.loads(self._worker.fingerprint.get("held", "[]")))
        return [str(name) for name in answer.header["names"]], dict(answer.header)

    def build(self, name: str, init: tuple[Any, ...], seed: int) -> tuple[State, dict[str, Any]]:
        """Make the module (constructed from a seed), or take the function, of that name; returns its state, and facts.

        Raises:
            Failed: see `load`.
        """
        if self._is_new:
            self.load()
        tensors: list[Any] = []
        header = {"do": "build", "name": name, "init": pack(init, tensors), "seed": seed}
        answer = self._ask(header, tensors)
        self._built = (name, init, seed)
        return unpack(answer.header["state"], list(answer.tensors)), dict(answer.header)

    def call(
        self, setting: Setting, *, lifted: str = "", gradients: str = "", poisoned: bool = False, watched: bool = False,
        same_memory: bool = False, settled: float = 0.0, repeated_s: float = 0.0, seed: int = 0, buffers: bool = False,
        stream: str = "", within_s: float = math.inf,
    ) -> Called:  # fmt: skip
        """Make one call.

        Args:
            setting: on what. lifted: the declared precision, where it runs in float64. gradients: results are these, found in that way.
            poisoned: memory that nobody wrote holds NaN. watched: ops are told. same_memory: arguments lie where those of the call before
            lay. settled: seconds to wait for what is still being written. repeated_s: for so many seconds it is called again, and the
            result that differs most from the first is given. seed: of random numbers. buffers: results are (results, buffers), as they
            are in training mode. stream: the one that is current, and busy until after the call, see `behind`; "" for none.
            within_s: seconds in which it has to answer, where these are fewer than any call has.

        Raises:
            Failed: see `load`.
        """
        if self._built is None:
            raise ValueError("nothing was built yet")
        if self._is_new:
            self.build(*self._built)
        tensors: list[Any] = []
        header = {
            "do": "call", "given": pack((setting.state, setting.arguments, dict(setting.keywords)), tensors), "training": setting.training,
            "lifted": lifted,
            "gradients": gradients, "poisoned": poisoned, "watched": watched, "same_memory": same_memory, "settled": settled,
            "repeated_s": repeated_s, "seed": seed, "buffers": buffers, "stream": stream,
        }  # fmt: skip
        answer = self._ask(header, tensors, within_s)
        self._called = True
        results, updated = unpack(answer.header["results"], list(answer.tensors))
        return Called(results, dict(answer.header), updated)

    @property
    def _is_new(self) -> bool:
        """Whether a new process is needed, because the one that held the solution is gone."""
        return self._worker.process_id is None or self._generation != self._worker.generation

    def _longest_s(self, action: str, within_s: float) -> float:
        """How many seconds an answer may take."""
        if action == "call" and self._called:
            return min(self.answer_s, within_s)
        if self.source.compiles:
            return COMPILED_S
        return START_S if action == "load" or self.place == CUDA else self.first_s

    def _ask(self, header: dict[str, Any], tensors: Iterable[Any] = (), within_s: float = math.inf) -> Message:
        self._worker.answer_s = self._longest_s(header["do"], within_s)
        kind = NOT_STARTED
        if self._starting is not None:
            self._starting.join()
        try:
            self._worker.answer_s, longest_s = START_S, self._worker.answer_s
            self._worker.start()
            kind, self._worker.answer_s = "dies", longest_s
            answer = self._worker.ask(Message(header, list(tensors)))
        except WorkerError as error:
            words = str(error).partition("it ")[2].partition(" The next call")[0].replace(" Needed: a result.", "")
            raise Failed("hangs" if kind == "dies" and "did not answer" in words else kind, words.rstrip(".")) from None
        assert answer is not None
        if (kind := answer.header.get("error")) is not None:
            words = str(answer.header.get("words", ""))
            if is_lost(self.place, words):
                self._worker.close()  # the next question starts another process
            is_memory = kind == "MemoryError" or "not enough memory" in words or "allocate memory" in words
            raise Failed("runs out of memory" if is_memory else "raises", f"{kind}: {words}", answer.header.get("attempts", ()))
        return answer
