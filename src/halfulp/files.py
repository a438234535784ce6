"""write_file: every file that halfulp writes is written beside its place and renamed, so that what was there stays until all is there."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from .errors import InputError


def path_of(place: str | os.PathLike[str]) -> Path:
    """A path that somebody passed.

    Raises:
        InputError: it is none.
    """
    if not isinstance(place, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"Got {place!r:.60} for a path. Needed: text, or a pathlib.Path. It names a file or folder. Pass its name.")
    return Path(place)


def write_file(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file whole, or not at all.

    Args:
        path: where to; missing folders are made. A link is followed; a pipe or a device is written to as it is. content: text (as UTF-8) or
            bytes.

    Returns:
        The path.

    Raises:
        InputError: it can't be written (a folder of that name, no permission, a full disk); what was there before is still there.
    """
    file = path_of(path)
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        target = Path(os.path.realpath(file))
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = _mode(target)
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError(21, "it is a folder")
        if mode is not None and not stat.S_ISREG(mode):  # /dev/stdout, a pipe: nothing to keep, and nothing can take its place
            target.write_bytes(data)
            return file
        _exchange(target, data, mode)
    except OSError as error:
        raise unwritable(file, error) from error
    return file


def append_line(path: str | os.PathLike[str], line: str) -> None:
    """Add one line to the end of a file: what is kept between runs grows by it, and an interruption cuts off one line at most.

    Raises:
        InputError: it can't be written.
    """
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError as error:
        raise unwritable(Path(path), error) from error


def unwritable(path: Path, error: OSError) -> InputError:
    """What is said of a place that can't be written to."""
    return InputError(
        f"Got {path}, which can't be written ({reason_of(error)}). Needed: a file in a folder that can be written to. What was there "
        "before is unchanged. Choose another path, or make room."
    )


def reason_of(error: OSError) -> str:
    """Why a file can't be written or read, in the words of the operating system."""
    return (error.strerror or type(error).__name__).lower()


def _mode(target: Path) -> int | None:
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        return None


def _exchange(target: Path, data: bytes, mode: int | None) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # a rename must not become durable before what it names
        os.chmod(name, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_UMASK)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    """The permissions that new files don't get; Python can only read it by setting it, so once, when this is imported."""
    before = os.umask(0o077)
    os.umask(before)
    return before


_UMASK = _umask()
