"""Structures: layouts, sizes and special distributions, which no dial reaches: the labelled variants of the inputs once."""

from __future__ import annotations

from typing import Any

from ..inputs import WHERE_DEFINED, variants
from .found import Found, Trial

PASSED_OVER = ("specials", "empty")
"""Kinds of variants on which honest implementations may differ, and which therefore say nothing of how bad one is."""


def try_structures(trial: Trial, inputs: tuple[Any, ...], seed: int) -> list[Found]:
    """Measure the variants, but for NaN, infinities and empty tensors.

    Args:
        trial: measures. inputs, seed: what they are made from.

    Returns:
        Those on which `actual` was off at all, worst first.
    """
    found: list[Found] = []
    for variant in variants(inputs, seed):
        if variant.kind in PASSED_OVER:
            continue
        trial.progress(f"trying {variant.label}")
        excess = trial.measure(variant.inputs, variant.label, where_defined=variant.kind in WHERE_DEFINED)
        found.append(Found(variant.inputs, variant.label, excess))
    return sorted((each for each in found if each.excess > 0), key=lambda each: -each.excess)
