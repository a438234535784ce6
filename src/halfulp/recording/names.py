"""What recorded things are called: source lines, arguments, devices. Nothing that tells who or where the user is."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

_OWN = str(Path(__file__).resolve().parents[1])
_TORCH = str(Path(torch.__file__).resolve().parent)
_CALLERS = {str(Path(__file__).resolve().with_name(name)) for name in ("recorded_run.py", "programs.py")}
_SCALARS = (bool, int, float, complex, str, type(None))


def source_line() -> str:
    """The innermost line of the user's program: "model.py:12 forward"; "" when there is none."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        name = frame.f_code.co_filename
        if name in _CALLERS:
            return ""  # what called the recording is no part of the program
        if is_of_user(name):
            return line_of(frame)
        frame = frame.f_back
    return ""


def is_of_user(file: str) -> bool:
    """Whether code of this file is the user's: neither PyTorch's nor ours."""
    return not file.startswith((_OWN, _TORCH, "<"))


def line_of(frame: Any) -> str:
    """Where a frame of the user's program is: "model.py:12 forward"."""
    return f"{relative(frame.f_code.co_filename)}:{frame.f_lineno} {frame.f_code.co_name}"


def relative(name: str) -> str:
    """A file below site-packages with its package, any other by its last part: paths tell names of users."""
    parts = re.split(r"[/\\]", name)
    for mark in ("site-packages", "dist-packages"):
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
