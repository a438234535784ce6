"""DispatchMode: the base of every mode that watches ops, without what torch.compile needs.

PyTorch hides the method of such a mode from torch.compile, and loads the whole compiler to do so, at the first op: two seconds, more than
PyTorch itself takes. Nothing has to be hidden from a compiler that nobody loaded.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class DispatchMode(TorchDispatchMode):
    """A `TorchDispatchMode` whose method is hidden from torch.compile once that is loaded, and not before."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        method = cls.__dict__.get("__torch_dispatch__")
        if method is not None:
            cls.__torch_dispatch__ = _hidden_once_loaded(method)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch's own hiding is left out (where a version of PyTorch has it): the one above takes its place."""
        return False


def _hidden_once_loaded(method: Callable[..., Any]) -> Callable[..., Any]:
    hidden: Callable[..., Any] = vars(torch)["_disable_dynamo"](method, recursive=True)

    # The name stands in tracebacks, where `border` looks for it.
    @functools.wraps(method)
    def __torch_dispatch__(*args: Any, **kwargs: Any) -> Any:  # noqa: N807
        # While the compiler is being loaded, which makes tensors too, it can't hide anything yet.
        if hasattr(sys.modules.get("torch._dynamo"), "disable"):
            return hidden(*args, **kwargs)
        return method(*args, **kwargs)

    return __torch_dispatch__
