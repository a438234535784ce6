"""Fill memory that nobody has written with NaN, so that a function that reads it shows it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any
from unittest import mock

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

UNWRITTEN = frozenset(("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"))


class _PoisonedTensors(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if getattr(func, "__name__", "") in UNWRITTEN and isinstance(result, torch.Tensor) and _takes_nan(result):
            with torch.no_grad(), torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
                result.detach().fill_(torch.nan)
        return result


def _takes_nan(tensor: torch.Tensor) -> bool:
    """Integers are left alone: a wild index could crash the process."""
    return (tensor.is_floating_point() or tensor.is_complex()) and tensor.device.type != "meta"


def _poisoned(original: Callable[..., Any]) -> Callable[..., Any]:
    def create(*args: Any, **kwargs: Any) -> Any:
        array = original(*args, **kwargs)
        if array.dtype.kind in "fc":
            array.fill(np.nan)
        return array

    return create


@contextlib.contextmanager
def poisoned() -> Generator[None]:
    """What torch.empty, numpy.empty and their kin return is NaN inside; memory allocated inside kernels is out of reach."""
    arrays = {name: _poisoned(getattr(np, name)) for name in ("empty", "empty_like")}
    with _PoisonedTensors(), mock.patch.multiple(np, **arrays):
        yield
