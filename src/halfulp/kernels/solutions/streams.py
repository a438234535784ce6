"""Streams: the CUDA device is still busy when a solution is called, so that work which doesn't wait for its inputs reads zeros instead."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

import torch

from ..problems.calls import leaves, with_leaves

DEFAULT, ANOTHER = "default", "another"
"""The stream that is current in the call."""
BUSY_CYCLES = 50_000_000
"""About thirty milliseconds at 1.7 GHz: far longer than a call takes to launch its work."""


@contextlib.contextmanager
def behind(arguments: tuple[Any, ...], stream: str) -> Generator[tuple[Any, ...]]:
    """Arguments that are zero until the current stream has come to the call; afterwards, everything is done.

    PyTorch's streams don't wait for each other, nor for the default one: work that is put on one of them has to wait for the stream on
    which its inputs are made, and that stream for the results.

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
