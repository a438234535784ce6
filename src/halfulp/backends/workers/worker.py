"""Worker: a backend's process, seen from outside. It is started when it is first asked, watched while it answers, and restarted after a fault."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ...errors import WorkerError
from ...process import lifeline
from ...process.fork_server import Forked, ForkServer
from .wire import Message, receive, send, widened

ANSWER_S = 300.0
"""How long an answer may take. Lowering a model to ExecuTorch, the slowest of what is asked, took up to a minute on two cores."""

LAST_LINES = 5
"""Lines of its log that a fault is reported with."""


class Worker:
    """One process.

    Args:
        name: the backend. python: the interpreter of its environment. environment: variables set for it.
        answer_s: how long an answer may take. memory_bytes: its address space is limited to so much; None leaves it unlimited.
        program: what Python is started with; the server of a backend by default.
        fork_server: has imported what the program needs, and starts it faster; None where there is none.

    Attributes:
        generation: how often it was started: what was built in an earlier one is gone.
        faults: what went wrong so far, in words. fingerprint, unusable: what it said of itself when it was started.
    """

    def __init__(
        self,
        name: str,
        python: str | Path,
        *,
        environment: Mapping[str, str] | None = None,
        answer_s: float = ANSWER_S,
        memory_bytes: int | None = None,
        program: Sequence[str] = (),
        fork_server: ForkServer | None = None,
    ) -> None:
        self.name, self._python, self._environment = name, str(python), dict(environment or {})
        self._program = [*program] or ["-m", "halfulp.backends.workers.server", name, str(memory_bytes or 0)]
        self._fork_server = fork_server
        self.answer_s = answer_s
        self.generation = 0
        self.faults: list[str] = []
        self.fingerprint: dict[str, str] = {}
        self.unusable = ""
        self._process: subprocess.Popen[bytes] | Forked | None = None
        self._answers: queue.Queue[Message | WorkerError | None] = queue.Queue()
        self._lock = threading.RLock()
        self._forgotten: list[int] = []
        self._log: IO[bytes] | None = None
        _ALIVE.add(self)

    @property
    def process_id(self) -> int | None:
        """Of the running process; None where there is none."""
        return self._process.pid if self._process is not None else None

    def ask(self, message: Message, generation: int | None = None) -> Message | None:
        """Its answer; None where the process that was asked is no longer that of the generation named.

        Raises:
            WorkerError: it died, hung, or answered nonsense; it is started anew by the next question. Or it says that it ran out of memory.
        """
        with self._lock:
            self.start()
            if generation is not None and generation != self.generation:
                return None
            assert self._process is not None and self._process.stdin is not None
            forgotten, self._forgotten = self._forgotten, []
            try:
                send(self._process.stdin, Message({**message.header, "forget": forgotten}, message.tensors, message.attachment))
                return self._awaited()
            except (BrokenPipeError, OSError):
                raise self._fault("closed its pipe") from None
            except WorkerError:
                raise
            except BaseException:
                self._clear()  # interrupted: the answer would be taken for that to the next question
                raise

    def forget(self, program: int) -> None:
        """Have a program thrown away with the next question: asking at once could fall into the middle of another question."""
        self._forgotten.append(program)

    def start(self) -> None:
        """Start the process, unless it runs.

        Raises:
            WorkerError: it can't be started.
        """
        with self._lock:
            # While the listener reaps a dead process, `poll` returns None as well. By then the end of the pipe is in the queue.
            if self._process is not None and self._process.poll() is None and self._answers.empty():
                return
            self._clear()
            self._log = tempfile.TemporaryFile("a+b")  # noqa: SIM115  # without a name: whoever is killed, no file is left
            try:
                process = self._process = self._started(self._log)
            except OSError as error:
                raise self._fault(f"can't be started: {error.strerror or error}") from error
            weakref.finalize(self, _abandoned, process.stdin, self._log)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    widened(stream)
            self.generation += 1
            self._forgotten = []
            self._answers = queue.Queue()
            threading.Thread(target=_listen, args=(self._process, self._answers), daemon=True).start()
            try:
                ready = self._awaited().header
            except WorkerError:
                raise
            except BaseException:
                self._clear()
                raise
            said: Any = ready.get("fingerprint")
            if not isinstance(said, dict):
                raise self._fault(f"sent {str(dict(ready))[:100]} instead of its greeting")
            self.fingerprint = {str(key): str(value) for key, value in said.items()}
            self.unusable = str(ready.get("unusable", ""))

    def _started(self, log: IO[bytes]) -> subprocess.Popen[bytes] | Forked:
        """Its process, just started.

        Raises:
            OSError: it can't be.
        """
        forked = None
        if self._fork_server is not None:
            _, module, *arguments = self._program
            forked = self._fork_server.start(module, arguments, environment=self._environment, stderr=log)
        return forked or lifeline.start(
            [self._python, *self._program],
            environment={**os.environ, **self._environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._clear()

    def end(self) -> None:
        """Kill the process, whatever another thread is waiting for; that thread is told that it died."""
        if (process := self._process) is not None:
            lifeline.end(process)

    def _awaited(self) -> Message:
        deadline = time.monotonic() + self.answer_s
        while True:
            try:
                answer = self._answers.get(timeout=0.5)
            except queue.Empty:
                if time.monotonic() > deadline:
                    raise self._fault(f"did not answer within {self.answer_s:g} s") from None
                continue
            break
        if answer is None:
            raise self._fault("died")
        if isinstance(answer, WorkerError):
            raise self._fault(f"gave an answer that can't be read ({answer})")
        return answer

    def _fault(self, what: str) -> WorkerError:
        process, log = self._process, self._log
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.5 if what in ("died", "closed its pipe") else 0.0)
            code = process.returncode
            if code is not None:
                what += f" ({_ended(code)})"
        lines = _last_lines(log) if log is not None else []
        self._clear()
        said = (
            f" The last {'line' if len(lines) == 1 else 'lines'} that the process printed: "
            + " | ".join(line.strip()[:200] for line in lines)
            + "."
            if lines
            else " The process printed nothing."
        )
        error = WorkerError(
            f"Got no usable answer from {self.name}'s process: it {what}. Needed: a result.{said} The next call restarts the process; this request is not repeated. Make the call by itself to see whether this happens again."
        )
        self.faults.append(str(error))
        return error

    def _clear(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None and stream is process.stdin:
                        stream.close()
            try:
                process.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                lifeline.end(process)
        if self._log is not None:
            self._log.close()
            self._log = None


def _abandoned(*files: IO[bytes] | None) -> None:
    """Close the files of a worker that nobody closed; its process ends when its questions do."""
    for file in files:
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()


def _last_lines(log: IO[bytes]) -> list[str]:
    log.seek(0)
    return log.read().decode(errors="replace").strip().splitlines()[-LAST_LINES:]


_ALIVE: weakref.WeakSet[Worker] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for worker in list(_ALIVE):
        worker.close()


REAPED_S = 5.0
"""How long a process may take to end after it has closed its answers."""


def _listen(process: subprocess.Popen[bytes] | Forked, answers: queue.Queue[Message | WorkerError | None]) -> None:
    """Read answers until the pipe closes."""
    assert process.stdout is not None
    with contextlib.closing(process.stdout):
        while True:
            try:
                message = receive(process.stdout)
            except WorkerError as error:
                answers.put(error)
                return
            except (OSError, ValueError):
                message = None
            answers.put(message)
            if message is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=REAPED_S)  # of a worker that nobody closes, nobody else asks how it ended
                return


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"{name}; the system may have run out of memory" if name == "SIGKILL" else name


def raised(message: Message, name: str) -> Any:
    """The answer's header; what went wrong there is raised here.

    Raises:
        WorkerError: the worker ran out of memory. Unsupported: anything else that its backend raised.
    """
    from ... import errors

    kind = message.header.get("error")
    if kind is None:
        return message.header
    words = str(message.header.get("words", ""))
    if kind == "MemoryError" or "not enough memory" in words or "bad_alloc" in words or "allocate memory" in words:
        raise WorkerError(
            f"Got no result from {name}'s process: it ran out of memory ({words.splitlines()[0][:200] if words else kind}). Needed: enough memory for this op, function or model. The process is still running. Use smaller inputs, or give it more memory (a larger machine, or a higher limit of the container)."
        )
    known = getattr(errors, str(kind), None)
    if isinstance(known, type) and issubclass(known, errors.HalfulpError):
        raise known(words)
    raise errors.Unsupported(
        f"Got {kind} from {name}: {(words.strip().splitlines() or [''])[0][:300]}. Needed: an op, function or model that the backend accepts. The backend's own message says what is missing. Compare with another backend, or change the op, function or model."
    )
