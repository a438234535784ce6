"""without_cuda(): code that asks for a CUDA device where there is none is given the processor."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


def without_cuda(text: str) -> contextlib.AbstractContextManager[Any]:
    """Inside, "cuda" is the processor; nothing changes for code that doesn't name it, or where there is a device.

    Args:
        text: the source of the code.
    """
    return _Processor() if "cuda" in text and not torch.cuda.is_available() else contextlib.nullcontext()


class _Processor(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = {key: _moved(value) for key, value in (kwargs or {}).items()}
        if getattr(func, "__name__", "") == "cuda" and args and isinstance(args[0], torch.Tensor):
            return args[0]
        return func(*(_moved(value) for value in args), **kwargs)


def _moved(value: Any) -> Any:
    is_cuda = (isinstance(value, torch.device) and value.type == "cuda") or (isinstance(value, str) and value.partition(":")[0] == "cuda")
    return torch.device("cpu") if is_cuda else value
