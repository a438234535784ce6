"""Where things lie: examples and benchmarks (inside an installed package, or beside src/ in a checkout), and what is kept between runs."""

from __future__ import annotations

import os
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
        f"Got no folder {name!r} beside {package}. Needed: a complete installation of halfulp, or a checkout of it. Either one contains "
        f"the {name}. "
        "Reinstall halfulp."
    )


def caches() -> Path:
    """Where what can be made again is kept between runs: HALFULP_CACHE, or the user's cache folder."""
    from platformdirs import user_cache_path

    return Path(os.environ["HALFULP_CACHE"]) if os.environ.get("HALFULP_CACHE") else user_cache_path("halfulp")
