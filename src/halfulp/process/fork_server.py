"""ForkServer: a process that has imported what others need, and forks them: importing PyTorch takes two seconds, a fork 30 milliseconds.

`multiprocessing` has a fork server too, but a program can have only one, with the program's own environment, and every child of it imports
the program's main file again: the code that our children run must not see that file.

It works on Linux only. Elsewhere, what libraries start while they are imported does not survive a fork, and `start` returns None.

All children of one server have its hash seed and its layout of memory, and its limits, umask and priority from when it was started.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import math
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, NoReturn

from .lifeline import VARIABLE, End

_SIZE, _STATUS = struct.Struct("<I"), struct.Struct("<i")
_FILES = 5
"""Sent with each request: standard input, output and error, the lifeline, and the pipe on which the server reports the exit code."""
START_S = 60.0
"""How long it may take until it forks: importing PyTorch takes two seconds, and several times as long on a busy machine."""
ENDED_S = 0.2
"""How long an idle server gets to exit after its socket is closed."""
_TOLD_S = 0.05
"""How often a thread that waits looks whether another thread has read the exit code."""
_LOOK_S = 0.5
"""How often the server looks whether its parent is gone: a copy of the socket in a process that the parent forked would hide that."""


class ForkServer:
    """One server. It is started on the first request, and restarted if it died or the environment changed.

    Args:
        python: its interpreter. modules: what it imports. environment: variables that it needs for that, beside those of this process.
    """

    def __init__(self, python: str, modules: Sequence[str], environment: Mapping[str, str]) -> None:
        self._argv = [python, "-m", "halfulp.process.fork_server"]
        self._modules, self._environment = list(modules), dict(environment)
        self._lock = threading.RLock()
        self._connection: socket.socket | None = None
        self._started_with: tuple[int, dict[str, str]] | None = None
        self._failed_with: tuple[int, dict[str, str]] | None = None
        self._has_forked = False
        _ALIVE.add(self)
        self._finalizer: weakref.finalize[[socket.socket, subprocess.Popen[bytes], int], ForkServer] | None = None

    def start(self, module: str, arguments: Sequence[str], *, environment: Mapping[str, str], stderr: IO[bytes]) -> Forked | None:
        """Fork a process that runs `main(*arguments)` of a module, with pipes as its standard input and output.

        Args:
            environment: more variables, none of which the modules read when they are imported. stderr: where its errors go.

        Returns:
            The process, which has to call `follow`, like one started by `lifeline.start`. None where none can be forked.
        """
        if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
            return None
        try:
            folder = os.getcwd()
        except OSError:  # it was removed
            return None
        shared = {name: value for name, value in os.environ.items() if name not in environment}
        request = {
            "module": module, "arguments": list(arguments), "folder": folder,
            "environment": {**shared, **self._environment, **environment},
        }  # fmt: skip
        with contextlib.ExitStack() as of_child, contextlib.ExitStack() as own:
            stdin, to_child = _pipe(of_child, own, writes=True)
            stdout, from_child = _pipe(of_child, own, writes=False)
            lifeline, held = _pipe(of_child, own, writes=True)
            reported, channel = _pipe(of_child, own, writes=False)
            try:
                process_id = self._asked(request, (stdin, stdout, stderr.fileno(), lifeline, reported), shared)
            except (OSError, EOFError):
                return None
            own.pop_all()
        return Forked(process_id, os.fdopen(to_child, "wb"), os.fdopen(from_child, "rb"), End(channel), End(held))

    def close(self) -> None:
        """Have the server end as soon as all that it forked has ended; the next request starts another."""
        with self._lock:
            if self._finalizer is not None:
                self._finalizer()
            self._connection = self._finalizer = None

    def _asked(self, request: Mapping[str, Any], files: Sequence[int], shared: Mapping[str, str]) -> int:
        """The number of the process that the server forks.

        Raises:
            OSError, EOFError: it can't be started, or is gone.
        """
        with self._lock:
            try:
                connection = self._connected(shared)
                said = json.dumps(request).encode()
                socket.send_fds(connection, [_SIZE.pack(len(said))], list(files))
                connection.sendall(said)
                process_id = _STATUS.unpack(_received(connection, _STATUS.size))[0]
                self._has_forked = True
                return process_id
            except BaseException as error:  # an interruption, too: its answer would be taken for that to the next question
                if isinstance(error, (OSError, EOFError)) and not self._has_forked:
                    self._failed_with = self._started_with
                self.close()
                raise

    def _connected(self, shared: Mapping[str, str]) -> socket.socket:
        """The socket of the running server, which was started with these variables.

        Raises:
            OSError: it can't be started, or one like it has failed.
        """
        now = os.getpid(), {**shared, **self._environment}
        if self._connection is not None and self._started_with == now:
            return self._connection
        self.close()
        if self._failed_with == now:
            raise OSError("such a server never forked anything")
        own, of_server = socket.socketpair()
        own.settimeout(START_S)
        with of_server:
            process = subprocess.Popen(
                [*self._argv, str(of_server.fileno()), str(os.getpid()), *self._modules],
                env={**shared, **self._environment}, pass_fds=(of_server.fileno(),), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self._connection, self._started_with, self._has_forked = own, now, False
        self._finalizer = weakref.finalize(self, _end, own, process, os.getpid())
        return own


_ENDING: list[subprocess.Popen[bytes]] = []
"""Retired servers: they take no requests, and still report the exit codes of children that run."""


def _end(connection: socket.socket, process: subprocess.Popen[bytes], owner: int) -> None:
    with contextlib.suppress(OSError):
        if os.getpid() == owner:  # a copy in a process that this one forked would keep it open
            connection.shutdown(socket.SHUT_RDWR)
    connection.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(ENDED_S)
    _ENDING[:] = [ending for ending in (*_ENDING, process) if ending.poll() is None]


_ALIVE: weakref.WeakSet[ForkServer] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for server in list(_ALIVE):
        server.close()
    for process in _ENDING:  # their children end with this process too
        process.kill()
        process.wait()


class Forked:
    """A process that a server forked, with what `subprocess.Popen` has: pid, stdin, stdout, returncode, poll, wait."""

    def __init__(self, process_id: int, stdin: IO[bytes], stdout: IO[bytes], channel: End, lifeline: End) -> None:
        self.pid, self.stdin, self.stdout, self.lifeline = process_id, stdin, stdout, lifeline
        self.returncode: int | None = None
        self._channel, self._owner = channel, os.getpid()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Forked {self.pid}, {'running' if self.poll() is None else f'ended with {self.returncode}'}>"

    def poll(self) -> int | None:
        """Its exit code, or minus the signal that ended it; None while it runs."""
        return self._told(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns its exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs.
        """
        if (code := self._told(timeout)) is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
        return code

    def _told(self, within_s: float | None) -> int | None:
        """What the server reports. Until the channel closes, the number of a process that has ended is not given to another."""
        if os.getpid() != self._owner:  # a copy in a process that was forked: it has no say, as with `Popen`
            return self.returncode or 0
        deadline = math.inf if within_s is None else time.monotonic() + within_s
        while self.returncode is None:
            left_s = max(0.0, deadline - time.monotonic())
            if _ready((self._channel.descriptor,), min(left_s, _TOLD_S)):
                with self._lock:
                    if self.returncode is None:
                        told = os.read(self._channel.descriptor, _STATUS.size)
                        if len(told) < _STATUS.size:  # the server is gone, and nobody else can tell when this process ends
                            _kill_group(self.pid)
                        self.returncode = _STATUS.unpack(told)[0] if len(told) == _STATUS.size else -int(signal.SIGKILL)
            elif not left_s:
                break
        return self.returncode


def _kill_group(process_id: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process_id, signal.SIGKILL)


def _pipe(of_child: contextlib.ExitStack, own: contextlib.ExitStack, *, writes: bool) -> tuple[int, int]:
    """The child's end of a pipe and this side's, which writes or reads; each is closed with its stack."""
    reading, writing = os.pipe()
    child_end, own_end = (reading, writing) if writes else (writing, reading)
    of_child.callback(os.close, child_end)
    own.callback(os.close, own_end)
    return child_end, own_end


def _ready(descriptors: Iterable[int], within_s: float) -> list[int]:
    """Those that can be read, or whose other end is closed, as soon as there is one; any number of files may be open."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return [descriptor for descriptor, _ in poll.poll(1000 * within_s)]


def _received(connection: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        if not (part := connection.recv(size - len(found))):
            raise EOFError
        found += part
    return bytes(found)


class _Server:
    """The server's side.

    Args:
        connection: on which it is asked. parent: the process that asks.
    """

    def __init__(self, connection: socket.socket, parent: int) -> None:
        self._connection, self._parent, self._folder = connection, parent, os.getcwd()
        self._running: dict[int, tuple[int, int]] = {}
        self._ended: dict[int, int] = {}

    def serve(self) -> None:
        """Fork what is requested, until the other side closes and all of it has ended."""
        is_asked = True
        while os.getppid() == self._parent and (is_asked or self._running):
            asked = (self._connection.fileno(),) if is_asked else ()
            for descriptor in _ready((*asked, *self._running, *self._ended), _LOOK_S):
                if descriptor in asked:
                    try:
                        self._fork()
                    except (OSError, EOFError):
                        is_asked = False
                        self._connection.close()  # whoever waits for an answer is told
                elif descriptor in self._running:
                    self._report(descriptor)
                else:  # the other side is closed: nobody needs the number of this process any more
                    process_id = self._ended.pop(descriptor)
                    _kill_group(process_id)  # what the process started and left
                    os.waitpid(process_id, 0)
                    os.close(descriptor)
        for process_id, _ in self._running.values():  # the parent is gone
            _kill_group(process_id)

    def _fork(self) -> None:
        """Fork one process.

        Raises:
            OSError: the system can't. EOFError: the other side is closed.
        """
        head, files, _, _ = socket.recv_fds(self._connection, _SIZE.size, _FILES)
        if len(head) < _SIZE.size or len(files) < _FILES:
            raise EOFError
        request = json.loads(_received(self._connection, _SIZE.unpack(head)[0]))
        process_id = os.fork()
        if process_id == 0:
            self._become(request, files)
        *given, channel = files
        for descriptor in given:
            os.close(descriptor)
        self._running[os.pidfd_open(process_id)] = process_id, channel
        self._connection.sendall(_STATUS.pack(process_id))

    def _become(self, request: Mapping[str, Any], files: Sequence[int]) -> NoReturn:
        """In a child: let go of all that is the server's, run what was requested, and end."""
        code = 1
        try:
            os.setsid()
            self._let_go(files)
            os.environ.clear()
            os.environ.update({**request["environment"], VARIABLE: str(files[3])})
            os.chdir(request["folder"])
            if sys.path[0] == self._folder:  # as `python -m` puts it there
                sys.path[0] = request["folder"]
            sys.argv = [request["module"], *request["arguments"]]
            tempfile.tempdir = None  # it follows from the environment
            if (random := sys.modules.get("numpy.random")) is not None:
                random.seed()  # what nobody seeded differs from process to process; the standard library sees to that itself
            importlib.import_module(request["module"]).main(*request["arguments"])
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            os._exit(code)

    def _let_go(self, files: Sequence[int]) -> None:
        """Close the server's files; the first three of the child's become its standard ones."""
        self._connection.close()
        for descriptor, (_, channel) in self._running.items():
            os.close(descriptor)
            os.close(channel)
        for channel in self._ended:
            os.close(channel)
        for place, descriptor in enumerate(files[:3]):
            os.dup2(descriptor, place)
            os.close(descriptor)
        os.close(files[4])

    def _report(self, descriptor: int) -> None:
        process_id, channel = self._running.pop(descriptor)
        os.close(descriptor)
        ended = os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        self._ended[channel] = process_id
        with contextlib.suppress(OSError):
            os.write(channel, _STATUS.pack(code))


def main(descriptor: str, parent: str, *modules: str) -> None:
    """Serve on a socket, for a process; see `ForkServer`."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # who ignores it is told of no end
    for module in modules:
        importlib.import_module(module)
    if len(os.listdir("/proc/self/task")) == 1:  # threads do not survive a fork
        _Server(socket.socket(fileno=int(descriptor)), int(parent)).serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
