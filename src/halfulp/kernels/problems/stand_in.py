"""Stand-ins for a CUDA device: for a problem, "cuda" is the processor; a solution is told that there is a device where there is none."""

from __future__ import annotations

import contextlib
import functools
import types
from typing import Any
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode

from ...process.alone import alone


def on_processor(text: str) -> contextlib.AbstractContextManager[Any]:
    """Inside, "cuda" is the processor, even if there is a device: references run there. Code that doesn't name it isn't affected.

    Args:
        text: the source of the code.
    """
    if "cuda" not in text:
        return contextlib.nullcontext()
    stack = contextlib.ExitStack()
    stack.enter_context(alone())
    stack.enter_context(mock.patch.object(torch, "Generator", _Generator))
    stack.enter_context(_Processor())
    return stack


def kept_on_processor(target: Any, text: str) -> Any:
    """A reference whose calls run inside `on_processor`."""
    if "cuda" not in text:
        return target
    inner = target.forward if isinstance(target, torch.nn.Module) else target

    @functools.wraps(inner)
    def call(*arguments: Any, **keywords: Any) -> Any:
        with on_processor(text):
            return inner(*arguments, **keywords)

    if not isinstance(target, torch.nn.Module):
        return call
    target.forward = call
    return target


def lacks_a_device(words: str) -> bool:
    """Whether these words of a failed solution mean that it needs what no stand-in has: a compiler for GPUs, or a driver."""
    return any(part in words for part in LACKING)


LACKING = (
    "CUDA_HOME", "nvcc", "No CUDA GPUs", "NVIDIA driver", "not compiled with CUDA", "libcuda", "not supported in interpreter mode",
    "CUDA toolkit", "'CUDA' backend", "No module named 'triton'", "No module named 'cupy'", "No module named 'cutlass'",
    "No module named 'tilelang'",
)  # fmt: skip


class _Processor(TorchFunctionMode):
    """Creates on the processor what is asked for on "cuda".

    Args:
        pretends: tensors say that they lie on a device.
    """

    def __init__(self, *, pretends: bool = False) -> None:
        super().__init__()
        self.pretends = pretends

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = {key: _moved(value) for key, value in (kwargs or {}).items()}
        name = getattr(func, "__name__", "")
        if name == "cuda" and args and isinstance(args[0], torch.Tensor):
            return args[0]
        if self.pretends:
            place = getattr(func, "__self__", None)
            if place is torch.Tensor.is_cuda:
                return True
            if place is torch.Tensor.device:
                return torch.device("cuda", 0)
            if name == "get_device":
                return 0
        return func(*(_moved(value) for value in args), **kwargs)


class _Generator(torch.Generator):
    """Random numbers of the processor, whatever device they are asked for."""

    def __new__(cls, device: Any = None) -> _Generator:
        return super().__new__(cls, "cpu" if device is None else _moved(device))  # pyright: ignore[reportCallIssue]


def _moved(value: Any) -> Any:
    is_cuda = (isinstance(value, torch.device) and value.type == "cuda") or (isinstance(value, str) and value.partition(":")[0] == "cuda")
    return torch.device("cpu") if is_cuda else value


def pretended() -> contextlib.AbstractContextManager[Any]:
    """Inside, tensors claim to be on a CUDA device, and whatever is created there is created on the processor."""
    return _Processor(pretends=True)


class _Nothing:
    """Accepts everything that is done with a stream or an event, and does nothing."""

    cuda_stream = 0

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __enter__(self) -> _Nothing:
        return self

    def __exit__(self, *_: object) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: 0.0


def pretend() -> None:
    """Make `torch.cuda` answer as if there were a device, for the rest of this process."""
    capability = (8, 0)
    properties = types.SimpleNamespace(
        name="halfulp's stand-in", major=capability[0], minor=capability[1], multi_processor_count=108, warp_size=32, total_memory=1 << 34,
        max_threads_per_multi_processor=2048, regs_per_multiprocessor=1 << 16, shared_memory_per_block=48 << 10, L2_cache_size=40 << 20,
        shared_memory_per_block_optin=163 << 10, shared_memory_per_multiprocessor=164 << 10, gcnArchName="",
    )  # fmt: skip
    answers: dict[str, Any] = {
        "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0, "synchronize": lambda *_, **__: None,
        "set_device": lambda *_, **__: None, "device": _Nothing, "device_of": _Nothing, "stream": _Nothing, "Stream": _Nothing,
        "Event": _Nothing, "current_stream": lambda *_, **__: _Nothing(), "default_stream": lambda *_, **__: _Nothing(),
        "get_device_properties": lambda *_, **__: properties, "get_device_capability": lambda *_, **__: capability,
        "get_device_name": lambda *_, **__: properties.name, "empty_cache": lambda: None, "is_bf16_supported": lambda *_, **__: True,
        "memory_allocated": lambda *_, **__: 0, "max_memory_allocated": lambda *_, **__: 0, "set_stream": lambda *_, **__: None,
    }  # fmt: skip
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    setattr(torch, "Generator", _Generator)  # noqa: B010
