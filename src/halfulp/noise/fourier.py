"""Does a side use fast Fourier transforms? Their error is small in norm only, whatever the formula that they stand for."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from ..cases import Case, observed
from ..ops import Kind, called
from ..process.alone import alone
from ..process.dispatch import DispatchMode

_NUMPY_TRANSFORMS = [name for name in dir(np.fft) if name.endswith(("fft", "fft2", "fftn")) and callable(getattr(np.fft, name))]


class _Watch(DispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.met = False
        self._thread = threading.get_ident()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.met = self.met or called(func)[1].kind is Kind.TRANSFORM
        return func(*args, **(kwargs or {}))

    def note(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def noted(*args: Any, **kwargs: Any) -> Any:
            self.met = self.met or threading.get_ident() == self._thread  # NumPy is exchanged for all threads
            return original(*args, **kwargs)

        return noted


def uses_transforms(case: Case, name: str) -> bool:
    """Whether the side calls a Fourier transform of PyTorch or numpy.fft; False where its ops can't be seen."""
    watch = _Watch()
    with alone(), contextlib.ExitStack() as stack:
        for word in _NUMPY_TRANSFORMS:
            stack.enter_context(mock.patch.object(np.fft, word, watch.note(getattr(np.fft, word))))
        observed(case, name, watch)  # where it fails, what was met until then counts
    return watch.met
