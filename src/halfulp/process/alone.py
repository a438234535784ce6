"""alone(): what PyTorch, NumPy and Python keep once for the whole process is exchanged by one check at a time.

Most of what a check exchanges is seen by its own thread alone: modes of PyTorch, context variables. A few things have no such form. While
they are exchanged this lock is held, so that checks in other threads wait, and each finds and leaves them as they were. A program's other
threads see them meanwhile; `docs/threads.md` lists them.
"""

from __future__ import annotations

import contextlib
import os
import threading
import warnings
from collections.abc import Generator
from typing import Any

_lock = threading.RLock()


def _renewed() -> None:
    global _lock  # noqa: PLW0603  # in a forked child the thread that held it may not exist
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renewed)


def alone() -> contextlib.AbstractContextManager[Any]:
    """No other check is inside meanwhile; the same thread may enter again."""
    return _lock


@contextlib.contextmanager
def quiet() -> Generator[None]:
    """No warning is shown inside. Python keeps the filters once for the whole process."""
    with alone(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
