"""Reduction: makes bad inputs small and plain while they stay bad, so that a person can read them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from ..cases.inputs import copied, map_arrays
from ..inputs import resized
from .found import Found, OutOfBudget, Trial

KEPT = 0.5
"""Share of the excess that smaller inputs have to keep, and at any rate more than the limit."""
Change = Callable[[torch.Tensor], torch.Tensor]


def reduced(trial: Trial, worst: Found, keeps: Callable[[tuple[Any, ...]], bool] = lambda _: True) -> Found:
    """The smallest and plainest inputs that were found to be as bad, but for `KEPT`; the best so far where the budget ends.

    Args:
        trial: measures; what it measures here is never its worst. worst: where to begin, beyond the limit.
        keeps: asked of each step before it is taken: whether it shows the same.

    Raises:
        Interrupted: by the user, with the best so far.
    """
    least = KEPT * worst.excess
    best, moved = worst, True
    try:
        while moved:
            moved = False
            for inputs in _simpler(best.inputs):
                excess = trial.measure(inputs, worst.label)
                if excess >= least and excess > 1.0 and keeps(inputs):  # 1 is what was ruled acceptable
                    best, moved = Found(inputs, worst.label, excess), True
                    break
    except OutOfBudget:
        pass
    except KeyboardInterrupt as interrupt:
        raise Interrupted(best) from interrupt
    return best


class Interrupted(BaseException):  # as KeyboardInterrupt is, which it stands for
    """The user interrupts; `best` is what was found until then."""

    def __init__(self, best: Found) -> None:
        super().__init__(best)
        self.best = best


def _simpler(inputs: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Inputs that are smaller or plainer, those that save most first."""
    for length in sorted({size for shape in _shapes(inputs) for size in shape if size > 1}, reverse=True):
        for size in dict.fromkeys((1, 2, length // 4, length // 2, length - 1)):
            if 0 < size < length:
                yield resized(inputs, length, size)
    count = len(_tensors(inputs))
    for place in range(count):
        for change in (torch.zeros_like, torch.ones_like, _constant, *map(_rounded, (2, 4, 8, 12))):
            changed = _with(inputs, place, change)
            if changed is not None:
                yield changed
    for place, tensor in enumerate(_tensors(inputs)):
        for low, high in _parts(tensor):
            changed = _with(inputs, place, _zeroed(low, high))
            if changed is not None:
                yield changed


def _parts(tensor: torch.Tensor) -> Iterator[tuple[int, int]]:
    """Halves, quarters, eighths ... down to single elements of small tensors."""
    count, parts = tensor.numel(), 2
    while parts <= min(count, 64):
        edges = np.linspace(0, count, parts + 1).astype(int).tolist()
        yield from itertools.pairwise(edges)
        parts *= 2


def _with(inputs: tuple[Any, ...], place: int, change: Change) -> tuple[Any, ...] | None:
    """The inputs with one tensor changed; None where that changes nothing."""
    seen, touched = -1, False

    def on_tensor(value: torch.Tensor) -> torch.Tensor:
        nonlocal seen, touched
        if not value.is_floating_point():
            return value
        seen += 1
        if seen != place:
            return value
        fresh = change(value.detach())
        touched = not torch.equal(fresh, value.detach())
        return fresh.requires_grad_(value.requires_grad)

    made = map_arrays(copied(inputs), on_tensor, lambda array: array)
    return made if touched else None


def _constant(value: torch.Tensor) -> torch.Tensor:
    return value.reshape(-1)[:1].expand(value.shape).clone() if value.numel() else value


def _rounded(bits: int) -> Change:
    """Numbers with so many bits."""

    def change(value: torch.Tensor) -> torch.Tensor:
        significand, exponent = torch.frexp(value.double())
        return torch.ldexp(torch.round(significand * 2.0**bits), exponent - bits).to(value.dtype)

    return change


def _zeroed(low: int, high: int) -> Change:
    def change(value: torch.Tensor) -> torch.Tensor:
        fresh = value.clone(memory_format=torch.contiguous_format)
        fresh.view(-1)[low:high] = 0
        return fresh

    return change


def _tensors(inputs: tuple[Any, ...]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []

    def note(value: torch.Tensor) -> torch.Tensor:
        if value.is_floating_point():
            found.append(value)
        return value

    map_arrays(inputs, note, lambda array: array)
    return found


def _shapes(inputs: tuple[Any, ...]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []

    def note(value: Any) -> Any:
        found.append(tuple(value.shape))
        return value

    map_arrays(inputs, note, note)
    return found
