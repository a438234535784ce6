"""Ranges: between which numbers the text says that an input lies, however it says so."""

from __future__ import annotations

from dataclasses import replace

import torch

from ..problems.calls import Setting, is_real, leaves, with_leaves
from .stated import Stated

NEXT = 0.01
"""How far past a border is tried: a hundredth of it, and at least of 1, which every format has numbers for."""


def ranges_of(given: Setting, stated: Stated) -> dict[int, tuple[float, float]]:
    """The smallest and the largest number of each floating input that the text limits on both sides, by its place.

    The statements are asked: of the numbers that the text names, and their negatives, these are the outermost ones that the input may be
    full of, where it may not be full of what lies just outside.
    """
    found: dict[int, tuple[float, float]] = {}
    named = sorted({sign * number for number in stated.numbers for sign in (1.0, -1.0)} | {0.0})
    for place, tensor in enumerate(leaves(given.arguments)):
        if not is_real(tensor) or not tensor.numel() or not tensor.dim():
            continue
        most = torch.finfo(tensor.dtype).max / 2  # what lies a little outside is a number of the type as well
        allowed = [number for number in named if abs(number) < most and _may_be(number, place, given, stated)]
        if len(allowed) < 2:
            continue
        low, high = allowed[0], allowed[-1]
        outside = (low - NEXT * max(1.0, abs(low)), high + NEXT * max(1.0, abs(high)))
        if not any(_may_be(number, place, given, stated) for number in outside):
            found[place] = low, high
    return found


def _may_be(number: float, place: int, given: Setting, stated: Stated) -> bool:
    """Whether an input may be full of a number."""
    full = torch.full_like(leaves(given.arguments)[place], number)
    return stated.allows(replace(given, arguments=with_leaves(given.arguments, {place: full})), {})
