"""The public border: whatever goes wrong inside is one of halfulp's errors, of a screen at most."""

from __future__ import annotations

import functools
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from .errors import HalfulpError, InternalError, shortened

Given = ParamSpec("Given")
Result = TypeVar("Result")

_PACKAGE = str(Path(__file__).parent)
_LIBRARY = sysconfig.get_path("stdlib")
_CALLERS = ("recording/recorded_run.py", "recording/exported.py", "audits/auditor.py", "cases/case.py", "cases/gradients.py")
"""Files in which the function under test is called: what comes out of such a line is its own."""
_WATCHING = ("__torch_dispatch__", "__torch_function__", "_called", "_through", "follow")
"""Functions of halfulp's through which the function under test calls PyTorch or its modules."""


def answered(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Decorator of a public function: an exception of halfulp's own making becomes an `InternalError`; the user's goes through as it is."""

    @functools.wraps(function)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except HalfulpError:
            raise
        except Exception as error:
            if not _is_own(error):
                raise
            said = shortened(str(error), lines=1, characters=300)
            raise InternalError(
                f"Got {type(error).__name__} from inside halfulp.{function.__name__}: {said} ({_place(error)}). Needed: tensors, arrays "
                "and numbers in ordinary containers. This kind of value is not handled. Please report it; convert it meanwhile (to_dense, "
                "contiguous, a plain list)."
            ) from error

    return run


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Its frames outside of PyTorch and Python's own library: where somebody's code went wrong."""
    return [frame for frame in traceback.extract_tb(error.__traceback__, limit=-200) if not _is_library(frame.filename)]


def _is_library(file: str) -> bool:
    if "/torch/" in file.replace("\\", "/") or file.startswith("<frozen"):
        return True
    return file.startswith(_LIBRARY) and "site-packages" not in file


def _is_own(error: BaseException) -> bool:
    """Whether halfulp's own code failed, and not the function under test."""
    frames = _frames(error)
    calls = [place for place, frame in enumerate(frames) if frame.filename.replace("\\", "/").endswith(_CALLERS)]
    if not calls:  # a library that halfulp called is halfulp's own business
        written = [frame for frame in frames if frame.filename.startswith(_PACKAGE) or "site-packages" not in frame.filename]
        return bool(written) and written[-1].filename.startswith(_PACKAGE)
    if calls[-1] + 1 == len(frames):
        return False
    inside = frames[calls[-1] + 1]
    return inside.filename.startswith(_PACKAGE) and inside.name not in _WATCHING


def _place(error: BaseException) -> str:
    last = _frames(error)[-1]
    return f"{Path(last.filename).name} line {last.lineno}"
