"""Footprint: the largest tensor that a reference creates on its way, found on tensors without numbers."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from typing import Any

import torch

from ...cases.trees import tensors_of
from ...process.dispatch import DispatchMode
from ..problems.calls import Setting, call, copied, state_of

LARGEST_INSIDE = 1 << 26
"""Elements of one tensor: half a gigabyte in float64. One op on it takes 0.27 to 0.35 s on one core, as long as a question may take."""
OPS = 2000
"""How many ops are followed: a recurrence has one for each step, and none of them is large."""


class _Followed(Exception):
    """Raised when a large tensor was found, or there is too much to follow."""


class _Largest(DispatchMode):
    """Finds how many elements the largest result of the first ops has.

    Attributes:
        numbers: so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.numbers, self._ops = 0, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        results = func(*args, **(kwargs or {}))
        self._ops += 1
        for tensor in tensors_of(results):
            # What is expanded takes no memory.
            self.numbers = max(self.numbers, 0 if func.is_view else tensor.numel())
        if self.numbers > LARGEST_INSIDE or self._ops > OPS:
            raise _Followed
        return results


def prepare() -> None:
    """Import PyTorch's compiler in another thread: the first op on the device "meta" needs it, and that takes two seconds."""
    if COMPILER not in sys.modules:
        threading.Thread(target=_imported, name="halfulp-compiler", daemon=True).start()


COMPILER = "torch._dynamo"


def _imported() -> None:
    with contextlib.suppress(Exception):  # who needs it imports it again, and sees why it can't be
        importlib.import_module(COMPILER)


def is_large_inside(target: Any, setting: Setting) -> bool:
    """Whether the reference creates a tensor of more than `LARGEST_INSIDE` elements; False if that can't be told.

    Args:
        target: the reference, made on PyTorch's device "meta". setting: on the same device.
    """
    largest = _Largest()
    with contextlib.suppress(Exception), torch.no_grad(), largest:  # whatever code makes of tensors without numbers
        call(target, state_of(target), copied(setting.arguments), setting.keywords, training=False)
    return largest.numbers > LARGEST_INSIDE
