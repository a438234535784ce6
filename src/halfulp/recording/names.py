"""What recorded things are called: source lines, arguments, devices. Nothing that tells who or where the user is."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

_OWN = str(Path(__file__).resolve().parents[1])
_TORCH = str(Path(torch.__file__).resolve().parent)
_CALLERS = {str(Path(__file__).resolve().with_name(name)) for name in ("recorded_run.py", "programs.py")}
_STDLIB = sysconfig.get_path("stdlib")
_INSTALLED = ("site-packages", "dist-packages")
_SCALARS = (bool, int, float, complex, str, type(None))
CALLED_AT = ", called at "
MOST_CALLERS = 4
"""Lines of callers in one source line: helpers of helpers; a recursion isn't written out."""


def source_line() -> str:
    """The innermost line of the user's program, and the lines that called it.

    Returns:
        "model.py:12 forward"; of a helper function "loss.py:3 rms, called at step.py:30 update": a helper's own line doesn't tell which of
        its calls it was. The callers end at the first code that isn't the user's (PyTorch's call of a module), and at `MOST_CALLERS`.
        "" when there is no line of the user's.
    """
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        name = frame.f_code.co_filename
        if name in _CALLERS:
            return ""  # what called the recording is no part of the program
        if is_of_user(name):
            return CALLED_AT.join([line_of(frame), *_callers(frame)])
        frame = frame.f_back
    return ""


def _callers(frame: Any) -> Iterator[str]:
    """The lines that called a helper function: of the same package, or of code that isn't installed."""
    package = _package(frame.f_code.co_filename)
    last, caller = line_of(frame).partition(" ")[0], frame.f_back
    for _ in range(MOST_CALLERS):
        if caller is None or caller.f_code.co_name == "<module>":
            return
        name = caller.f_code.co_filename
        if not is_of_user(name) or _package(name) not in ("", package):
            return
        line = line_of(caller)
        if line.partition(" ")[0] != last:  # a comprehension and the line that it stands in
            yield line
        last, caller = line.partition(" ")[0], caller.f_back


def _package(file: str) -> str:
    """The installed package that a file is of: "transformers"; "" of code that isn't installed."""
    return relative(file).partition("/")[0] if is_library(file) else ""


def is_library(file: str) -> bool:
    """Whether code of this file is installed: Python's own library, or a package."""
    return any(mark in file for mark in _INSTALLED) or file.startswith(_STDLIB)


def is_of_user(file: str) -> bool:
    """Whether code of this file is the user's: neither PyTorch's nor ours."""
    return not file.startswith((_OWN, _TORCH, "<"))


def line_of(frame: Any, line: int = 0) -> str:
    """Where a frame of the user's program is, or another line of it: "model.py:12 forward"."""
    return f"{relative(frame.f_code.co_filename)}:{line or frame.f_lineno} {frame.f_code.co_name}"


def relative(name: str) -> str:
    """A file below site-packages with its package, any other by its last part: paths tell names of users."""
    parts = re.split(r"[/\\]", name)
    for mark in _INSTALLED:
        if mark in parts:
            return "/".join(parts[len(parts) - parts[::-1].index(mark) :])
    return parts[-1]


def encode(tree: Any, on_tensor: Callable[[torch.Tensor], Any]) -> Any:
    """The arguments of an op as a tree of references, numbers and text.

    Args:
        tree: what the op was called with. on_tensor: makes the reference of a tensor.
    """
    if isinstance(tree, torch.Tensor):
        return on_tensor(tree)
    if isinstance(tree, _SCALARS):
        return tree
    if isinstance(tree, (list, tuple)):
        return [encode(part, on_tensor) for part in tree]
    if isinstance(tree, dict):
        return {str(key): encode(part, on_tensor) for key, part in tree.items()}
    if isinstance(tree, torch.dtype):
        return {"dtype": str(tree).removeprefix("torch.")}
    if isinstance(tree, torch.device):
        return {"device": str(tree)}
    if isinstance(tree, torch.layout):
        return {"layout": str(tree).removeprefix("torch.")}
    if isinstance(tree, torch.memory_format):
        return {"memory_format": str(tree).removeprefix("torch.")}
    if isinstance(tree, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return {"symbol": type(tree).__name__}
    return {"object": type(tree).__name__}
