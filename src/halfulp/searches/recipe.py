"""Recipe: how the numbers of a function's inputs are drawn, as a few dials for each tensor that an optimizer can turn.

All dials stand between 0 and 1. At 0.5 the scale and the offset are those of the given numbers; the others change nothing up to 0.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..cases.inputs import are_flags, copied, map_arrays

SCALE_BITS = 20.0
"""Scales from 2**-20 to 2**20 times the given one: squares of float32 numbers near 1 neither overflow nor vanish."""
OFFSET_BITS = 14.0
"""Means of up to 2**14 times the spread: half of float32's bits are left for what differs."""
SPREAD_BITS = 24.0
"""Numbers over as many binades as float32 has bits: the largest leave nothing of the smallest in a sum."""
CLOSE_BITS = 20.0
"""How close neighbors come to cancelling each other."""
MOST_TENSORS = 6
"""Tensors with dials: the first ones. An optimizer that knows nothing of a function learns little of more than 40 dials in a minute."""
DIALS = ("scale", "offset", "spread", "zeros", "cancel", "grid", "like")


@dataclass(frozen=True)
class Recipe:
    """How inputs are drawn.

    Attributes:
        dials: for each tensor that has them, a value between 0 and 1 for each of `DIALS`. seed: of what is drawn.
    """

    dials: tuple[tuple[float, ...], ...]
    seed: int = 0

    def __str__(self) -> str:
        words = [f"{_place(place)} {said}" for place, own in enumerate(self.dials) if (said := _words(own))]
        return "; ".join(words) or "the given distribution"


def dials_of(inputs: Sequence[Any]) -> int:
    """How many tensors of the inputs have dials."""
    return min(len(_numbers(inputs)), MOST_TENSORS)


def neutral(count: int) -> list[float]:
    """The dials of so many tensors, in a row, where they change nothing."""
    return [0.5] * (len(DIALS) * count)


def recipe_of(row: Sequence[float], seed: int) -> Recipe:
    """The recipe whose dials stand in a row."""
    step = len(DIALS)
    return Recipe(tuple(tuple(float(dial) for dial in row[start : start + step]) for start in range(0, len(row), step)), seed)


def drawn(inputs: tuple[Any, ...], recipe: Recipe) -> tuple[Any, ...]:
    """Inputs by a recipe: those given, changed; in memory of their own.

    What a tensor promises by its numbers is kept: none is negative where none was, and flags (nothing but 0 and 1) stay.
    """
    generator = torch.Generator().manual_seed(recipe.seed)
    made: list[torch.Tensor] = []

    def on_tensor(value: torch.Tensor) -> torch.Tensor:
        if not _has_dials(value) or len(made) >= len(recipe.dials):
            return value
        fresh = _turned(value.detach().cpu().double(), recipe.dials[len(made)], generator, made)
        made.append(fresh)
        result = torch.empty_like(value, requires_grad=False)
        return result.copy_(_within(fresh, value.dtype)).requires_grad_(value.requires_grad)

    def on_array(value: np.ndarray[Any, Any]) -> Any:
        if value.dtype.kind != "f" or value.dtype.itemsize > 8:
            return value
        return on_tensor(torch.from_numpy(np.ascontiguousarray(value))).numpy()

    return map_arrays(copied(inputs), on_tensor, on_array)


def _within(numbers: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Numbers that the dtype holds as finite ones."""
    largest = torch.finfo(dtype).max
    return numbers.clamp(-largest, largest)


def _has_dials(value: torch.Tensor) -> bool:
    return (value.is_floating_point() and value.layout == torch.strided and value.numel() > 0 and not are_flags(value.float())) or _is_zero(
        value
    )


def _is_zero(value: torch.Tensor) -> bool:
    """A bias that starts at zero is no flag."""
    return value.is_floating_point() and value.layout == torch.strided and value.numel() > 1 and not bool((value != 0).any())


def _numbers(inputs: Sequence[Any]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []

    def note(value: torch.Tensor) -> torch.Tensor:
        if _has_dials(value):
            found.append(value)
        return value

    def note_array(value: np.ndarray[Any, Any]) -> Any:
        if value.dtype.kind == "f" and value.dtype.itemsize <= 8:
            note(torch.from_numpy(np.ascontiguousarray(value)))
        return value

    map_arrays(tuple(inputs), note, note_array)
    return found


def _beyond(dial: float) -> float:
    """0 up to the middle, then rising to 1."""
    return max(0.0, 2.0 * dial - 1.0)


def _turned(base: torch.Tensor, dials: Sequence[float], generator: torch.Generator, before: Sequence[torch.Tensor]) -> torch.Tensor:
    """The numbers of one tensor."""
    scale, offset, spread, zeros, cancel, grid, like = dials
    positive = not bool((base < 0).any()) and bool((base > 0).any())
    uniform = torch.rand(base.shape, generator=generator, dtype=torch.float64)
    normal = torch.randn(base.shape, generator=generator, dtype=torch.float64)
    finite = base[torch.isfinite(base)]
    size = float(finite.square().mean().sqrt()) if finite.numel() and bool((finite != 0).any()) else 1.0
    x = base if bool((base != 0).any()) else normal
    x = x * torch.exp2(SPREAD_BITS * _beyond(spread) * (uniform - 0.5))
    if _beyond(cancel) and x.dim() and x.shape[-1] > 1:
        half, apart = x.shape[-1] // 2, 2.0 ** (-CLOSE_BITS * _beyond(cancel))
        x = x.clone()
        x[..., 1 : 2 * half : 2] = (1.0 if positive else -1.0) * x[..., 0 : 2 * half : 2] * (1.0 + apart * normal[..., : 2 * half : 2])
    twin = next((other for other in before if other.shape == x.shape), None)
    if _beyond(like) and twin is not None:
        x = twin / max(float(twin.abs().max()), 1e-300) * size * (1.0 + 2.0 ** (-CLOSE_BITS * _beyond(like)) * normal)
    moved = size * (2.0 ** (OFFSET_BITS * abs(2.0 * offset - 1.0)) - 1.0) * (1.0 if offset > 0.5 or positive else -1.0)
    if _beyond(grid):
        # A power of two, as are the steps of most functions that round, whose halves are ties.
        step = 2.0 ** round(math.log2(size) + 7.0 * _beyond(grid) - 6.0)
        x, moved = torch.round(x / step) * step, round(moved / step) * step
    x = (x + moved) * 2.0 ** round(SCALE_BITS * (2.0 * scale - 1.0))
    x = torch.where(uniform < 0.99 * _beyond(zeros), torch.zeros_like(x), x)
    return x.abs() if positive else x


def _place(place: int) -> str:
    return ("the first tensor", "the second", "the third", "the fourth", "the fifth", "the sixth")[place]


def _words(dials: Sequence[float]) -> str:
    """What the dials do, in words; "" where they change next to nothing."""
    scale, offset, spread, zeros, cancel, grid, like = dials
    bits, mean = round(SCALE_BITS * (2.0 * scale - 1.0)), 2.0 ** (OFFSET_BITS * abs(2.0 * offset - 1.0)) - 1.0
    said = [
        f"times 2^{bits}" if bits else "",
        f"with a mean {'+' if offset > 0.5 else '-'}{mean:,.0f} times its rms" if mean >= 1 else "",
        f"spread over {SPREAD_BITS * _beyond(spread):.0f} binades" if SPREAD_BITS * _beyond(spread) >= 1 else "",
        f"{99 * _beyond(zeros):.0f} % zeros" if _beyond(zeros) >= 0.01 else "",
        f"with neighbors that agree to {CLOSE_BITS * _beyond(cancel):.0f} bits" if _beyond(cancel) > 0 else "",
        f"on a grid of about 2^{7.0 * _beyond(grid) - 6.0:.0f} rms" if _beyond(grid) > 0 else "",
        f"agreeing with an earlier tensor to {CLOSE_BITS * _beyond(like):.0f} bits" if _beyond(like) > 0 else "",
    ]
    return ", ".join(word for word in said if word)
