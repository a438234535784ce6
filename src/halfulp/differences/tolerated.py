"""Tolerated: how many elements of two results are further apart than somebody's rtol, atol or ulps allow. A rule, not a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..floats import widen
from .difference import Comparison, Tolerated
from .leaves import Leaf, decode, leaves_of

Array = npt.NDArray[Any]
CHUNK = 1 << 20
"""Elements that are looked at together: 8 MB of float64 a side."""


@dataclass(frozen=True)
class Rule:
    """What is allowed. An element may be off by `atol_abs` + `rtol_rel` |expected|, as in `torch.testing.assert_close`, and by `max_ulps`.

    Attributes:
        rtol_rel, atol_abs, max_ulps: the limits; None for those that were not given.
    """

    rtol_rel: float | None = None
    atol_abs: float | None = None
    max_ulps: int | None = None


def tolerated(comparison: Comparison, actual: object, expected: object, rule: Rule) -> Tolerated:
    """Which share of the elements keeps a rule.

    Args:
        comparison: of these two results. actual, expected: the results. rule: the limits.

    Returns:
        The rule with how many elements break it. A tensor whose largest distance in ulps is beyond `max_ulps` counts with one element at
        least; what is NaN or infinite on one side alone always counts.
    """
    others = {leaf.path: leaf for leaf in leaves_of(expected)}
    beyond, worst, most = 0, "", 0
    for leaf in leaves_of(actual):
        other = others.get(leaf.path)
        if other is None or other.shape != leaf.shape:
            continue
        count = sum(_broken(left, right, rule) for left, right in _numbers(leaf, other))
        is_far = rule.max_ulps is not None and comparison[leaf.path].max_ulps > rule.max_ulps
        count = max(count, int(is_far))
        beyond += count
        if count > most:
            worst, most = leaf.path, count
    return Tolerated(rule.rtol_rel, rule.atol_abs, rule.max_ulps, beyond, comparison.count, worst)


def _numbers(leaf: Leaf, other: Leaf) -> Iterator[tuple[Array, Array]]:
    """The elements of both as float64, some at a time."""
    flat, other_flat = leaf.stored.reshape(-1), other.stored.reshape(-1)
    for start in range(0, flat.size, CHUNK):
        yield _wide(leaf, flat[start : start + CHUNK]), _wide(other, other_flat[start : start + CHUNK])


def _wide(leaf: Leaf, stored: Array) -> Array:
    return widen(decode(stored, leaf.format) if leaf.holds_bits and leaf.format is not None else stored)


def _broken(left: Array, right: Array, rule: Rule) -> int:
    with np.errstate(invalid="ignore", over="ignore"):
        is_same = (left == right) | (np.isnan(left) & np.isnan(right))
        if rule.rtol_rel is None and rule.atol_abs is None:
            return int((~is_same & ~(np.isfinite(left) & np.isfinite(right))).sum())
        allowed = (rule.atol_abs or 0.0) + (rule.rtol_rel or 0.0) * np.abs(right)
        return int((~is_same & ~((np.abs(left - right) <= allowed) & np.isfinite(left) & np.isfinite(right))).sum())
