"""Lifeline: a pipe by which a child process learns that its parent is gone, however that ended, so that no child outlives it.

The parent holds the writing end and never writes. When it ends, the operating system closes that end, and the child ends at once with
everything that it started: on Linux by a signal of the kernel, which needs nothing of the child (it may hold Python's lock in an endless
loop), elsewhere by a thread of the child that waits for it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

VARIABLE = "HALFULP_LIFELINE"
"""Names the reading end, as a file descriptor, for the child."""

_LOOK_S = 0.5
"""How often the child looks whether it was handed to another parent: that, too, means that its own is gone. A copy of the writing end in a
process that the parent forked would hide the end of the pipe."""


def start(argv: Sequence[str], *, environment: Mapping[str, str], **options: Any) -> Any:
    """Start a child that ends with this process; it has to call `follow`.

    Args:
        argv, options: as for `subprocess.Popen`. environment: all its variables.

    Raises:
        OSError: it can't be started.
    """
    if sys.platform == "win32":
        return subprocess.Popen(argv, env=dict(environment), **options)
    reading, writing = os.pipe()
    try:
        # A session of its own: Ctrl-C is for this process, and the child's own children can be ended with it.
        process: Any = subprocess.Popen(
            argv, env={**environment, VARIABLE: str(reading)}, pass_fds=(reading,), start_new_session=True, **options
        )  # fmt: skip
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    process.lifeline = End(writing)
    return process


class End:
    """One end of a pipe: closed when nobody holds this object any more."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self._process = descriptor, os.getpid()

    def __del__(self) -> None:
        if self._process == os.getpid():
            with contextlib.suppress(OSError):
                os.close(self.descriptor)


def end(process: Any) -> None:
    """End a child and what it started, now."""
    if sys.platform == "win32":
        process.kill()
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            if process.poll() is None:  # it leads no group yet: it was started this moment
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def follow() -> None:
    """In the child: end when the parent does. Does nothing where there is no lifeline."""
    named = os.environ.pop(VARIABLE, "")
    if not named.isdigit():
        return
    descriptor = int(named)
    os.set_inheritable(descriptor, False)
    parent = os.getppid()
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(descriptor, getattr(fcntl, "F_SETSIG"), signal.SIGKILL)  # noqa: B009  # Linux alone has it
        fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)
    # The parent may have ended before: the thread finds that too.
    threading.Thread(target=_wait, args=(descriptor, parent), daemon=True, name="halfulp-lifeline").start()


def _wait(descriptor: int, parent: int) -> None:
    import select

    poll = select.poll()  # any number of files may be open
    poll.register(descriptor, select.POLLIN)
    while os.getppid() == parent:
        if poll.poll(1000 * _LOOK_S):
            break
    os.killpg(os.getpgrp(), signal.SIGKILL)
