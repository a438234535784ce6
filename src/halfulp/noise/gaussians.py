"""Standard normal numbers for samples of rounding."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from typing import Any

import torch

from ..ops.arithmetic import LARGEST_PIECE, POOL_SIZE


@functools.lru_cache(maxsize=4)
def _gaussian_numbers(seed: int, device: torch.device) -> torch.Tensor:
    return torch.randn(POOL_SIZE, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(device)


class GaussianPool:
    """Standard normal numbers, served from random places of one pool, so that a run can be repeated.

    Args:
        seed: of the numbers, which are drawn once for each seed. places: of where they are taken from; default: follows from `seed`.
    """

    def __init__(self, seed: int, *, places: int | None = None) -> None:
        self.seed = seed
        self._places = random.Random(seed + 1 if places is None else places)

    def number(self) -> int:
        """A seed for other random numbers."""
        return self._places.getrandbits(32)

    def place(self) -> Any:
        """Where it is, for `return_to`."""
        return self._places.getstate()

    def return_to(self, place: Any) -> None:
        """Serve the same numbers again from there."""
        self._places.setstate(place)

    def like(self, tensor: torch.Tensor) -> torch.Tensor:
        """Standard normal numbers of a real float64 tensor's shape, on its device."""
        if tensor.numel() <= LARGEST_PIECE:
            return self._piece(_gaussian_numbers(self.seed, tensor.device), tensor.numel()).view(tensor.shape)
        return torch.cat([piece for _, piece in self.pieces(tensor)]).view(tensor.shape)

    def pieces(self, tensor: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
        """The same in pieces, each with its place in the flattened tensor."""
        pool, size = _gaussian_numbers(self.seed, tensor.device), tensor.numel()
        for start in range(0, max(1, size), LARGEST_PIECE):
            yield start, self._piece(pool, min(LARGEST_PIECE, size - start))

    def _piece(self, pool: torch.Tensor, size: int) -> torch.Tensor:
        start = self._places.randrange(POOL_SIZE - size + 1)
        return pool[start : start + size]
