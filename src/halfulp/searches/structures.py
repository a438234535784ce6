"""Structures: layouts, sizes and special distributions, which no dial reaches: the labelled variants of the inputs once."""

from __future__ import annotations

from typing import Any

from ..inputs import EXOTIC, variants
from .found import Found, Trial


def try_structures(trial: Trial, inputs: tuple[Any, ...], seed: int) -> list[Found]:
    """Measure the variants, but for NaN, infinities and empty tensors, on which honest implementations may differ.

    Args:
        trial: measures. inputs, seed: what they are made from.

    Returns:
        Those on which `actual` was off at all, worst first.
    """
    found: list[Found] = []
    for variant in variants(inputs, seed):
        if variant.kind not in EXOTIC:
            trial.progress(f"trying {variant.label}")
            found.append(Found(variant.inputs, variant.label, trial.measure(variant.inputs, variant.label)))
    return sorted((each for each in found if each.excess > 0), key=lambda each: -each.excess)
