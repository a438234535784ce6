"""Bounds: numbers around those that the solution's source compares with, or cuts off at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from ..problems.calls import Setting, is_real, leaves
from ..promises.promises import Promises
from .question import Question, kept_question


def bound_questions(given: Setting, promises: Promises, bounds: Sequence[float]) -> Iterator[Question]:
    """Some numbers on both sides of each bound in the solution's source: there it has a special case, or cuts numbers off.

    Digits lost beside the largest of these numbers decide nothing.

    Args:
        bounds: magnitudes, see `Source.bounds`.
    """
    floats = {place: tensor for place, tensor in enumerate(leaves(given.arguments)) if is_real(tensor) and tensor.numel()}
    for bound in bounds:
        changed = {place: _around(tensor, bound) for place, tensor in floats.items()}
        for question in kept_question(f"some numbers around {bound:g}, which the solution names", given, changed, promises):
            yield replace(question, blunt=True)


def _around(tensor: torch.Tensor, bound: float) -> torch.Tensor:
    """Some elements an eighth above and below a magnitude, with both signs if there are negative numbers.

    Magnitudes whose squares overflow are left out (in float32, for 16-bit formats): products of two inputs would be infinite, and 1e20 in a
    source stands for infinity.
    """
    sides = torch.tensor([1 + BESIDE, 1 - BESIDE], dtype=torch.float64) * bound
    if bool((tensor < 0).any()):
        sides = torch.cat([sides, -sides])
    computed = torch.promote_types(tensor.dtype, torch.float32)
    sides = sides[sides.abs() < min(torch.finfo(tensor.dtype).max, torch.finfo(computed).max ** 0.5)]
    if not len(sides):
        return tensor
    changed = tensor.clone().reshape(-1)
    step = max(1, min(APART, tensor.numel() // 4))
    some = changed[::step]
    some.copy_(sides.repeat(-(-len(some) // len(sides)))[: len(some)])
    return changed.reshape(tensor.shape)


BESIDE, APART = 0.125, 7
"""How far from the bound, relative to it, and how many elements apart: no size of a block, so that these elements meet others."""
