"""Streams: the CUDA device is still busy when a solution is called, so that work which doesn't wait for its inputs reads zeros."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

import torch

from ..problems.calls import leaves, with_leaves

DEFAULT, ANOTHER = "default", "another"
"""The stream that is current during the call."""
BUSY_CYCLES = 50_000_000
"""About thirty milliseconds at 1.7 GHz: far longer than a call takes to launch its work."""


@contextlib.contextmanager
def behind(arguments: tuple[Any, ...], stream: str) -> Generator[tuple[Any, ...]]:
    """Arguments that are zero until the current stream reaches the call; afterwards, everything is finished.

    PyTorch's streams wait neither for each other nor for the default one: work on one of them must wait for the stream that makes its
    inputs, and that stream must wait for the results.

    Args:
        arguments: of the call, on the device. stream: the current one, `DEFAULT` or `ANOTHER`.
    """
    given = leaves(arguments)
    later = {place: torch.zeros_like(tensor) for place, tensor in enumerate(given)}
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream() if stream == ANOTHER else torch.cuda.default_stream()):
        torch.cuda._sleep(BUSY_CYCLES)  # pyright: ignore[reportPrivateUsage]  # PyTorch's own tests of streams use it
        for place, tensor in enumerate(given):
            later[place].copy_(tensor)
        try:
            yield with_leaves(arguments, later)
        finally:
            torch.cuda.synchronize()
