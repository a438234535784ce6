"""Fill memory that nobody has written with NaN, so that a function that reads it shows it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any
from unittest import mock

import numpy as np
import torch

TENSORS = ("empty", "empty_like", "empty_strided", "empty_permuted")
METHODS = ("new_empty", "new_empty_strided")
ARRAYS = ("empty", "empty_like")


def _poisoned(original: Callable[..., Any]) -> Callable[..., Any]:
    def create(*args: Any, **kwargs: Any) -> Any:
        created = original(*args, **kwargs)
        # Integers are left alone: a wild index could crash the process.
        if isinstance(created, np.ndarray):
            if created.dtype.kind in "fc":
                created.fill(np.nan)
        elif (created.is_floating_point() or created.is_complex()) and created.device.type != "meta":
            with torch.no_grad():
                created.detach().fill_(torch.nan)
        return created

    return create


@contextlib.contextmanager
def poisoned() -> Generator[None]:
    """What torch.empty, numpy.empty and their kin return is NaN inside; memory allocated inside kernels is out of reach.

    The functions themselves are exchanged: under a mode, modules with a fast path (`nn.MultiheadAttention`) would take another one.
    """
    with contextlib.ExitStack() as stack:
        for owner, names in ((torch, TENSORS), (torch.Tensor, METHODS), (np, ARRAYS)):
            for name in names:
                stack.enter_context(mock.patch.object(owner, name, _poisoned(getattr(owner, name))))
        yield
