"""versions: what a result was made with. A number of a page can be made again only where this is known."""

from __future__ import annotations

import functools
import platform
import re
from importlib import metadata
from pathlib import Path


def versions(*others: str) -> dict[str, str]:
    """Versions of Python and of the packages that decide, the system and the processor.

    Args:
        others: packages that decide here too, by the names that pip knows them by.

    Returns:
        Names and values as text, "not installed" for a package that is missing. What a graphics card is, is in `halfulp doctor`.
    """
    packages = {package: _version(package) for package in ("halfulp", "torch", "numpy", *others)}
    return {"python": platform.python_version(), **packages, "system": system(), "processor": processor()}


@functools.cache
def _version(package: str) -> str:
    """Read once: finding a package's metadata takes as long as some checks."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


@functools.cache
def system() -> str:
    """The operating system and its release: "Linux 6.1.0"."""
    return f"{platform.system()} {platform.release()}"


@functools.cache
def processor() -> str:
    """The processor by its maker's name, where the system tells; else its architecture."""
    found = re.findall(r"^model name\s*:\s*(.+)$", cpuinfo(), re.MULTILINE)
    return found[0] if found else platform.processor() or platform.machine()


@functools.cache
def cpuinfo() -> str:
    """What Linux says of its processors; "" elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text(errors="replace") if path.is_file() else ""
