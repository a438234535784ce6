"""What is really the matter, where an error of Python's or PyTorch's names something else.

A device that is not here, a class in the place of its instance, a function that only starts when somebody waits for it.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

_DEVICES = (
    ("CUDA", re.compile(r"not compiled with CUDA|NVIDIA driver|No CUDA GPUs|on a CUDA device|'CUDA' backend", re.IGNORECASE)),
    ("MPS", re.compile(r"'MPS' backend|MPS backend is|support for mps devices|MPS framework", re.IGNORECASE)),
    ("XPU", re.compile(r"not compiled with XPU|'XPU' backend|No XPU devices", re.IGNORECASE)),
)
"""How PyTorch says that a device is missing, in all its ways."""


def missing_device(error: BaseException) -> str:
    """The kind of device that somebody asked for and that is not here ("CUDA"), "" where that is not the trouble."""
    text = str(error)
    for name, words in _DEVICES:
        if words.search(text) and not _is_here(name):
            return name
    return ""


def _is_here(device: str) -> bool:
    return {"CUDA": torch.cuda.is_available, "MPS": torch.backends.mps.is_available, "XPU": torch.xpu.is_available}[device]()


def device_advice(device: str, what: str) -> str:
    """What to do about a device that is missing.

    Args:
        device: its kind. what: whose code asks for it, in words. A side may be exchanged for its results; what else asks would ask again.
    """
    advice = f"run it where PyTorch finds {_article(device)} {device} device (here it finds none), or make {what} run without one."
    if what not in ("`actual`", "`expected`"):
        return advice
    stored, other = (("result.npy", "FILE.py:expected"), ("FILE.py:actual", "result.npy"))[what == "`expected`"]
    return (
        f"{advice} If you can get results of {what} only on a machine with such a device, save them to a file there and check that file "
        f"here: halfulp check {stored} {other} (with the same inputs)."
    )


def _article(device: str) -> str:
    return "a" if device == "CUDA" else "an"


def trouble_with(function: Callable[..., Any], name: str) -> str:
    """Why a callable can't be a side of a comparison, as an error's text; "" where nothing is known against it.

    Args:
        name: "actual", "expected", "inputs" or what else it is called.
    """
    if inspect.isclass(function):
        if issubclass(function, nn.Module) or _instances_are_called(function):
            return (
                f"Got {name}={function.__name__}, which is a class. Needed: an instance of it. Calling the class makes an instance and "
                f"computes nothing. Pass {function.__name__}(...)."
            )
        return ""
    called = _body(function)
    if inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called):
        return (
            f"Got {name}={_name(called)}, which is declared with `async def`. Needed: a plain function. Calling it computes nothing until "
            f"the result is awaited. Pass a function that runs it: lambda *inputs: asyncio.run({_name(called)}(*inputs))."
        )
    if inspect.isgeneratorfunction(called):
        return (
            f"Got {name}={_name(called)}, which has a `yield`: it is a generator function. Needed: a function that returns its results. "
            f"Calling it computes nothing until the first result is requested. Return a list, or pass lambda *inputs: "
            f"list({_name(called)}(*inputs))."
        )
    return ""


def _instances_are_called(kind: type) -> bool:
    """Whether the class says what calling an instance does; named tuples and dtypes do not."""
    return any("__call__" in vars(base) for base in kind.__mro__)


def _body(function: Any) -> Any:
    """What is run in the end: a module's `forward`, a callable object's `__call__`, what a partial or a wrapper holds."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, nn.Module):
        return inspect.getattr_static(type(function), "forward", None)  # a traced module looks its own up in C++
    if not (inspect.isfunction(function) or inspect.ismethod(function) or inspect.isbuiltin(function)):
        return getattr(type(function), "__call__", function)  # noqa: B004
    return function


def _name(function: Any) -> str:
    name = str(getattr(function, "__qualname__", None) or type(function).__name__).rpartition("<locals>.")[2]
    return name.removesuffix(".__call__").removesuffix(".forward")
