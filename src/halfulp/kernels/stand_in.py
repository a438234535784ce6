"""Stand-ins for a CUDA device where there is none: for a problem, "cuda" is the processor; a solution is told that it has a device."""

from __future__ import annotations

import contextlib
import types
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


def without_cuda(text: str) -> contextlib.AbstractContextManager[Any]:
    """Inside, "cuda" is the processor; nothing changes for code that doesn't name it, or where there is a device.

    Args:
        text: the source of the code.
    """
    return _Processor() if asks_for_a_device(text) else contextlib.nullcontext()


def asks_for_a_device(text: str) -> bool:
    """Whether code names CUDA or Triton, and there is no device that it could run on."""
    return ("cuda" in text or "triton" in text) and not torch.cuda.is_available()


def lacks_a_device(words: str) -> bool:
    """Whether a solution failed with these words for want of what no stand-in has: a compiler for GPUs, a driver."""
    return any(part in words for part in LACKING)


LACKING = (
    "CUDA_HOME", "nvcc", "No CUDA GPUs", "NVIDIA driver", "not compiled with CUDA", "libcuda", "not supported in interpreter mode",
    "CUDA toolkit", "'CUDA' backend", "No module named 'triton'", "No module named 'cupy'", "No module named 'cutlass'",
    "No module named 'tilelang'",
)  # fmt: skip


class _Processor(TorchFunctionMode):
    """What is made on "cuda" is made on the processor.

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


def _moved(value: Any) -> Any:
    is_cuda = (isinstance(value, torch.device) and value.type == "cuda") or (isinstance(value, str) and value.partition(":")[0] == "cuda")
    return torch.device("cpu") if is_cuda else value


def pretended() -> contextlib.AbstractContextManager[Any]:
    """Inside, tensors say that they lie on a CUDA device, and what is made there is made on the processor."""
    return _Processor(pretends=True)


class _Nothing:
    """Takes whatever is done with a stream or an event, and does nothing."""

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
    """Let `torch.cuda` answer as if there were a device, for the rest of this process."""
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
