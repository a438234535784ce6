"""Where the examples and benchmarks that come with halfulp lie: inside an installed package, or beside src/ in a checkout."""

from __future__ import annotations

from pathlib import Path

from .errors import InputError


def folder(name: str) -> Path:
    """The folder of that name.

    Raises:
        InputError: it is in neither place.
    """
    package = Path(__file__).resolve().parent
    for candidate in (package / name, package.parents[1] / name):
        if candidate.is_dir():
            return candidate
    raise InputError(
        f"Got no folder {name!r} beside {package}. Needed: an installed halfulp, or a checkout of it. It holds the {name}. "
        "Reinstall halfulp."
    )
