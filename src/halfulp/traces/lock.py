"""claimed(folder): a folder that one writer makes and holds until it is done. Others are told who holds it.

One claim at a time looks at a name and takes it: threads wait for a lock of theirs, processes of one machine for the lock of the parent
folder (Windows has none; there the folder's making alone decides between processes). The lock file inside says which process on which
machine writes; a process that is gone holds nothing.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import platform
import shutil
import sys
import threading
import time
import uuid
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from ..errors import TraceError
from ..files import reason_of

LOCK = "writer.json"
PATIENCE = 5.0
"""Seconds to wait for other claims in the same parent folder, which take milliseconds. Whoever holds its lock longer (`flock . COMMAND`)
holds it for something else."""

BEAT_S, STALE_S = 30.0, 600.0
"""How often a writer says that it is still there, and after how long a silence one of another machine is taken for gone: containers get a
new name with each start. Clocks of machines that share a folder differ by less."""

_held: set[str] = set()
_changing = threading.RLock()


class Lock:
    """The lock of one folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOCK
        with _changing:
            _held.add(str(self._file))
        own = {"process": os.getpid(), "started": _started(os.getpid()), "machine": platform.node()}
        self._file.write_text(json.dumps(own), encoding="utf-8")
        _beat()

    def release(self) -> None:
        """Give it up; once more does nothing."""
        with _changing:
            _held.discard(str(self._file))
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)


@functools.cache
def _beat() -> threading.Thread:
    """The thread that says of all locks of this process that they are held."""

    def beat() -> None:
        while True:
            time.sleep(BEAT_S)
            with _changing:
                files = [*_held]
            for file in files:
                with contextlib.suppress(OSError):
                    os.utime(file)

    thread = threading.Thread(target=beat, name="halfulp-lock", daemon=True)
    thread.start()
    return thread


if hasattr(os, "register_at_fork"):  # threads don't come along
    os.register_at_fork(after_in_child=_beat.cache_clear)


def taken(folder: Path) -> Lock | str:
    """The lock of a folder that exists; or who holds it, in words."""
    with _alone_in(folder.parent):
        return holder(folder) or Lock(folder)


def claimed(folder: Path, is_left_over: Callable[[Path], bool]) -> Lock:
    """Make a folder and hold it.

    Args:
        folder: which; its parents are made too. is_left_over: whether a folder of that name that nobody holds may be replaced.

    Raises:
        TraceError: somebody holds it, it is no left-over, or it can't be made.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _impossible(folder, error) from error
    try:
        with _alone_in(folder.parent):
            try:
                folder.mkdir()
            except FileExistsError:
                _put_away(folder, is_left_over)
                folder.mkdir()
            return Lock(folder)
    except FileExistsError as error:  # somebody was quicker
        raise _taken(folder, "another process") from error
    except OSError as error:
        raise _impossible(folder, error) from error


@contextlib.contextmanager
def _alone_in(parent: Path) -> Generator[None]:
    """No other claim looks at a folder of this parent meanwhile: between making a folder and writing its lock it looks like a left-over."""
    with _changing:
        if sys.platform == "win32":
            yield
            return
        import fcntl

        handle = os.open(parent, os.O_RDONLY)
        given_up = time.monotonic() + PATIENCE
        try:
            with contextlib.suppress(OSError):  # a file system without locks: the folder's making alone decides
                while time.monotonic() < given_up:
                    try:
                        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        time.sleep(0.005)
            yield
        finally:
            os.close(handle)  # gives the lock up


def _impossible(folder: Path, error: OSError) -> TraceError:
    return TraceError(
        f"Got {folder.parent}, in which {folder.name} can't be made ({reason_of(error)}). Needed: a folder to write the trace to. "
        "Nothing was recorded. Choose another path."
    )


def _taken(folder: Path, who: str) -> TraceError:
    return TraceError(
        f"Got {folder}, which {who} is writing to. Needed: a folder that nothing else is writing to. Two recordings can't share a folder. "
        "Wait until the other one is done, or choose another name."
    )


def _put_away(folder: Path, is_left_over: Callable[[Path], bool]) -> None:
    if who := holder(folder):
        raise _taken(folder, who)
    with contextlib.suppress(OSError):
        (folder / LOCK).unlink(missing_ok=True)
    if not is_left_over(folder):
        raise TraceError(
            f"Got {folder}, which exists and is not an unfinished trace. Needed: a NAME for which NAME.partial does not exist yet. "
            "Nothing in the folder was changed. Move it, or choose another name."
        )
    aside = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    folder.rename(aside)  # in one step: of two that find it left over, one does this
    shutil.rmtree(aside)


def holder(folder: Path) -> str:
    """Who holds a folder, in words; "" for nobody."""
    try:
        said: Any = json.loads((folder / LOCK).read_bytes())
        process, started, machine = said["process"], said["started"], str(said["machine"])
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, KeyError, TypeError):
        return "an unknown process"
    if machine != platform.node():
        with contextlib.suppress(OSError):
            if time.time() - (folder / LOCK).stat().st_mtime > STALE_S:
                return ""
        return f"process {process} on {machine!r}"
    if process == os.getpid():
        with _changing:
            return "this process" if str(folder / LOCK) in _held else ""
    return f"process {process}" if isinstance(process, int) and _lives(process) and started == _started(process) else ""


def _lives(process: int) -> bool:
    if sys.platform == "win32":
        return _started(process) != ""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is somebody else's
        return True
    return True


def _started(process: int) -> str:
    """When a process was started, as the system counts: tells a process from a later one of the same number. "" where that is not known."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        return text.rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
