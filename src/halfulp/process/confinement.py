"""confine() and limit(): what this process may still do: no network, files written in one folder alone, bounded memory and time.

For a child that runs code which nobody has read. On Linux the kernel keeps it (namespaces, Landlock, resource limits), so that native
code is held as well; elsewhere, and where a kernel lacks a part, less holds, and what holds is returned. It can't be undone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_CLONE_NEWNET, _CLONE_NEWUSER, _CLONE_NEWNS = 0x40000000, 0x10000000, 0x20000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_PR_SET_NO_NEW_PRIVS = 38
_WRITES = {1: 0x1FF2, 2: 0x3FF2, 3: 0x7FF2}
"""Version of Landlock -> its rights that change files: writing (bit 1), removing and making (bits 4 to 12), linking, truncating."""
_PATH_BENEATH = 1
_KNOWS_SIGNALS, _NO_SIGNALS = 6, 2
"""The version of Landlock (Linux 6.12) that can keep a process from signaling any but itself and what it starts, and the flag for that."""

NO_NETWORK, ONE_FOLDER, HIDDEN = "no network", "files can be written in one folder only", "files that it may not read are empty to it"


def confine(folder: Path, devices: Sequence[Path] = (), hidden: Sequence[Path] = ()) -> tuple[str, ...]:
    """Give up the network, and writing outside of a folder. To be called before the process has threads: they would stay free.

    Args:
        folder: where files may be written. devices: files of devices that may be opened for writing all the same.
        hidden: files that are empty from now on, for this process and all that it starts.

    Returns:
        What holds from now on, in words; a part that this system can't keep is not among them.
    """
    held: list[str] = []
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        with contextlib.suppress(OSError):
            _without_network(libc)
            held.append(NO_NETWORK)
        with contextlib.suppress(OSError):
            _without_files(libc, hidden)
            held += [HIDDEN] if hidden else []
        with contextlib.suppress(OSError):
            _one_folder(libc, folder, devices)
            held.append(f"{ONE_FOLDER} (and those of the device)" if devices else ONE_FOLDER)
    return tuple(held)


def limit(*, memory_bytes: int = 0, cpu_s: int = 0, file_bytes: int = 0) -> tuple[str, ...]:
    """Bound what this process may use from now on; 0 sets no limit.

    Args:
        memory_bytes: of address space beyond what is mapped now. cpu_s: processor time beyond what was used. file_bytes: the largest file.

    Returns:
        What holds, in words.
    """
    try:
        import resource
    except ImportError:  # Windows
        return ()
    held: list[str] = []
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limits = {
        "memory is limited": (resource.RLIMIT_AS, memory_bytes + _mapped() if memory_bytes else 0),
        "processor time is limited": (resource.RLIMIT_CPU, cpu_s + int(usage.ru_utime + usage.ru_stime) + 1 if cpu_s else 0),
        "file sizes are limited": (resource.RLIMIT_FSIZE, file_bytes),
    }
    for words, (kind, most) in limits.items():
        if most:
            with contextlib.suppress(OSError, ValueError):
                _, hard = resource.getrlimit(kind)
                bound = most if hard == resource.RLIM_INFINITY else min(most, hard)  # only root may raise one
                resource.setrlimit(kind, (bound, bound))
                held.append(words)
    return tuple(held)


def _mapped() -> int:
    """Bytes of address space that are in use."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _without_network(libc: Any) -> None:
    """A network namespace of its own, which holds nothing; without privileges it takes a user namespace as well.

    Raises:
        OSError: the system does not allow it (or the process has threads already).
    """
    if libc.unshare(_CLONE_NEWNET) != 0 and libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def _without_files(libc: Any, hidden: Sequence[Path]) -> None:
    """A mount namespace of its own, in which nothing is at the place of each of these files.

    Raises:
        OSError: the system does not allow it.
    """
    if not hidden:
        return
    if libc.unshare(_CLONE_NEWNS) != 0 and libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    if libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None) != 0:  # so that no other process sees it
        raise OSError(ctypes.get_errno(), "mount")
    for path in hidden:
        if libc.mount(os.fsencode(os.devnull), os.fsencode(path), None, _MS_BIND, None) != 0:
            raise OSError(ctypes.get_errno(), "mount")


def _one_folder(libc: Any, folder: Path, devices: Sequence[Path]) -> None:
    """Landlock: files are read anywhere, and changed below one folder alone (and in /dev/null and devices).

    Where the kernel can, other processes can't be signaled either: neither the one that judges nor those of other solutions.

    Raises:
        OSError: the kernel has no Landlock.
    """
    version = libc.syscall(_LANDLOCK_CREATE, None, 0, 1)
    if version < 1:
        raise OSError(ctypes.get_errno(), "landlock")
    rights = _WRITES[min(version, 3)]
    rules = struct.pack("<QQQ", rights, 0, _NO_SIGNALS) if version >= _KNOWS_SIGNALS else struct.pack("<Q", rights)
    descriptor = libc.syscall(_LANDLOCK_CREATE, ctypes.create_string_buffer(rules), len(rules), 0)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "landlock")
    try:
        nodes = [path.resolve() for path in devices]
        for path, allowed in ((folder, rights), *((path, rights & 0x4002) for path in (Path(os.devnull), *nodes))):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                rule = ctypes.create_string_buffer(struct.pack("<Qi", allowed, place))
                if libc.syscall(_LANDLOCK_ADD, descriptor, _PATH_BENEATH, rule, 0) != 0:
                    raise OSError(ctypes.get_errno(), "landlock")
            finally:
                os.close(place)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.syscall(_LANDLOCK_RESTRICT, descriptor, 0) != 0:
            raise OSError(ctypes.get_errno(), "landlock")
    finally:
        os.close(descriptor)
