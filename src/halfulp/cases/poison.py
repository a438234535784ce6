"""Fill memory that nobody has written with NaN, so that a function that reads it shows it."""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Callable, Generator
from typing import Any
from unittest import mock

import numpy as np
import torch

from ..ops import called
from ..process.alone import alone
from ..process.dispatch import DispatchMode

ARRAYS = ("empty", "empty_like")

_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("halfulp_poisoned", default=False)


class _Poison(DispatchMode):
    """A mode below PyTorch's functions, seen by this thread alone.

    A mode of functions would make modules with a fast path (`nn.MultiheadAttention`) take another one.
    """

    def __init__(self, value: float | None) -> None:
        super().__init__()
        self._value = value

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        created = func(*args, **(kwargs or {}))
        if self._value is None:
            return created
        # Integers are left alone: a wild index could crash the process.
        is_new = called(func)[1].unwritten and isinstance(created, torch.Tensor)
        if is_new and (created.is_floating_point() or created.is_complex()) and created.device.type != "meta":
            created.fill_(self._value)
        return created


def _poisoned(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def create(*args: Any, **kwargs: Any) -> Any:
        created = original(*args, **kwargs)
        if _inside.get() and created.dtype.kind in "fc":  # not in other threads
            created.fill(np.nan)
        return created

    return create


@contextlib.contextmanager
def poisoned(value: float | None = torch.nan) -> Generator[None]:
    """What torch.empty, numpy.empty and their kin return is NaN inside; memory allocated inside kernels is out of reach.

    Args:
        value: what is written; None writes nothing, and only looks: PyTorch's own functions may take another path where ops are looked at.

    NumPy has no modes: its functions are exchanged for the whole process, and do what they always do in other threads.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(alone())
        for name in ARRAYS:
            stack.enter_context(mock.patch.object(np, name, _poisoned(getattr(np, name))))
        token = _inside.set(value is not None)
        try:
            with _Poison(value):
                yield
        finally:
            _inside.reset(token)
