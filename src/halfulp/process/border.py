"""The public border: whatever goes wrong inside is one of halfulp's errors, of a screen at most, and an interrupt leaves nothing behind."""

from __future__ import annotations

import contextlib
import functools
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..errors import HalfulpError, InternalError, shortened
from .alone import alone
from .interrupts import surely

Given = ParamSpec("Given")
Result = TypeVar("Result")

_PACKAGE = str(Path(__file__).parents[1])
_LIBRARY = sysconfig.get_path("stdlib")
_CALLERS = ("recording/recorded_run.py", "recording/exported.py", "audits/auditor.py", "cases/case.py", "cases/gradients.py")
"""Files in which the function under test is called: what comes out of such a line is its own."""
_WATCHING = ("__torch_dispatch__", "__torch_function__", "_called", "_through", "follow")
"""Functions of halfulp's through which the function under test calls PyTorch or its modules."""


def answered(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Decorator of a public function: an exception of halfulp's own making becomes an `InternalError`; the user's goes through as it is."""

    @functools.wraps(function)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        before = _of_this_thread(), _of_the_process()
        try:
            return function(*args, **kwargs)
        except HalfulpError:
            raise
        except BaseException as error:
            if not isinstance(error, Exception):  # Ctrl-C may come while a mode is being entered, before anything would leave it
                surely(functools.partial(_put_back, *before))
                raise
            called = error.__traceback__.tb_next is not None if error.__traceback__ is not None else True
            if not called or not _is_own(error):  # arguments that the function doesn't take: Python's own words are the clearest
                raise
            said = shortened(str(error), lines=1, characters=300)
            raise InternalError(
                f"Got {type(error).__name__} from inside halfulp.{function.__name__}: {said} ({_place(error)}). Needed: tensors, arrays "
                "and numbers in ordinary containers. This kind of value is not handled. Please report it; in the meantime, convert it "
                "(to_dense, "
                "contiguous, a plain list)."
            ) from error

    return run


def _of_this_thread() -> tuple[dict[str, Any], bool, int, int]:
    """What a thread has of its own: NumPy's floating-point errors, whether gradients are recorded, modes of functions and of ops."""
    torch = sys.modules.get("torch")
    if torch is None:
        return dict(np.geterr()), True, 0, 0
    return dict(np.geterr()), torch.is_grad_enabled(), torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack()


def _of_the_process() -> list[Any]:
    """Settings and random generators of the whole process with their values; none where PyTorch isn't imported or one can't be read."""
    if sys.modules.get("torch") is None:
        return []
    from .settings import COMPUTING, RANDOM, SURROUNDINGS, readings

    with contextlib.suppress(Exception):  # a removed folder, a mode of PyTorch's without numbers: the function itself says so
        return readings((*COMPUTING, *RANDOM, *SURROUNDINGS))
    return []


def _put_back(thread: tuple[dict[str, Any], bool, int, int], process: list[Any]) -> None:
    errors, grad, functions, ops = thread
    np.seterr(**errors)
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return
    while torch._C._len_torch_function_stack() > functions:
        torch._C._pop_torch_function_stack()
    while (left := torch._C._len_torch_dispatch_stack()) > ops:
        mode = torch._C._get_dispatch_stack_at(left - 1)
        with contextlib.suppress(Exception):  # it keeps flags of its own
            torch.utils._python_dispatch.TorchDispatchMode.__exit__(mode, None, None, None)
        if torch._C._len_torch_dispatch_stack() == left:
            torch._C._pop_torch_dispatch_stack()
    torch.set_grad_enabled(grad)  # which a mode would see
    if process:
        from .settings import put_back

        with alone():  # a check of another thread has put back its own by then
            put_back(process)


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
