"""When a loop is compiled, and where what was compiled is kept.

Loops over memory exist twice: compiled by numba, and in NumPy. Loading numba takes longer than NumPy takes for most of what people
compare, so numba is imported, and a loop compiled or read from its cache, only where that pays. The size of the work alone decides: the
same call takes the same way, and so gives the same bits, whatever ran before it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

from .places import caches

LOADING_S = 0.7
"""Seconds of processor time to import numba and to read one compiled loop from its cache, over what PyTorch and NumPy take:
`python -m benchmarks.start_up` prints it (`kernel_loading`)."""

USES = 16
"""So many times the same work is done by one command: a check compares its outputs that often, and reveals orders by as many replays."""

PATIENCE_S = 5.0
"""So long a process waits for others that read or write the same loop, which takes milliseconds; then it goes without what is kept."""

_lock = threading.Lock()


def pays(numpy_s: float) -> bool:
    """Whether work should be done by a compiled loop.

    Args:
        numpy_s: how long NumPy takes for it, estimated from its size.
    """
    return numpy_s * USES > LOADING_S


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorator: compiled by numba at the first call for each kind of arguments, and kept in the user's cache folder.

    Modules that use it are imported only where `pays` says so: numba loads with them. Where nothing can be written, nothing is kept.

    Args:
        options: of numba.njit.
    """
    import numba

    def decorate(function: Callable[..., Any]) -> Any:
        compiled: Any = numba.njit(**options)(function)
        if not hasattr(compiled, "enable_caching"):  # the compiler is off (NUMBA_DISABLE_JIT)
            return compiled
        config: Any = vars(numba)["config"]
        with _lock:
            before = config.CACHE_DIR
            try:
                config.CACHE_DIR = before or str(caches() / "kernels")  # NUMBA_CACHE_DIR comes first
                compiled.enable_caching()
                compiled._cache = _Shared(compiled._cache)
            except (OSError, RuntimeError):
                pass
            finally:
                config.CACHE_DIR = before
        return compiled

    return decorate


class _Shared:
    """What numba keeps of one loop, used by one process at a time.

    numba writes which file holds which kind of arguments before it writes that file, and two processes may choose the same name: a third
    could read the loop of other arguments.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *given: Any) -> Any:
        """What is kept for these arguments; None where nothing is."""
        with _alone_in(self._cache.cache_path) as is_alone:
            return self._cache.load_overload(*given) if is_alone else None

    def save_overload(self, *given: Any) -> None:
        """Keep it."""
        with _alone_in(self._cache.cache_path) as is_alone, contextlib.suppress(OSError):  # a full disk
            if is_alone:
                self._cache.save_overload(*given)


@contextlib.contextmanager
def _alone_in(folder: str) -> Generator[bool]:
    """Whether no other process uses the folder inside; the system gives the lock up for a process that dies."""
    try:
        handle = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield False
        return
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    given_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < given_up:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            time.sleep(0.005)
    return False
