"""worst_scalars(): the single numbers on which a function is worst.

Thousands are asked at once: first some of every binade. Of one argument, see `cells`. Of several, around those on which `actual` was
farthest off, numbers that are one, two, four, ... representable numbers away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .cells import worst_numbers
from .scalars import AT_ONCE, Function, floats_of, in_noise_of, patterns_of, places_of, spread_evenly, unsigned

KEPT = 64
"""How many of the worst are looked around at: 48 neighbors of each in a round."""
STALE = 64
"""After so many rounds without anything worse it ends: each has asked about the neighbors of the worst numbers again."""
FRESH = 4
"""One element of so many is drawn from all numbers again, so that a worse place elsewhere is still found."""


@dataclass(frozen=True)
class WorstScalars:
    """The arguments on which a function of single numbers was farthest off.

    Attributes:
        arguments: a tensor for each argument, worst first. in_noise: the error of each in units of what rounding does there.
        evaluations: how many numbers the function was asked for.
    """

    arguments: tuple[torch.Tensor, ...]
    in_noise: tuple[float, ...]
    evaluations: int


def worst_scalars(function: Function, evaluations: int, seed: int = 0, goes_on: Callable[[], bool] = lambda: True) -> WorstScalars:
    """Search for the worst arguments.

    Args:
        function: see above. evaluations: how many numbers it may be asked for. goes_on: asked before each round.
    """
    generator = np.random.default_rng(seed)
    if len(function.signs) == 1:
        numbers, errors, done = worst_numbers(function, evaluations, generator, goes_on)
        return WorstScalars((numbers,), tuple(map(float, errors)), done)
    count, done = len(function.signs), 0
    best, errors = [np.empty(0, unsigned(function.target)) for _ in range(count)], np.empty(0)
    stale = 0
    while done < evaluations and stale < STALE and not np.isinf(errors[:1]).any() and (goes_on() or not done):
        size = min(AT_ONCE, evaluations - done)
        asked = _round(function, best, size, generator)
        done += size
        found = np.concatenate([errors, in_noise_of(function, [floats_of(row, function.target) for row in asked])])
        rows = [np.concatenate([known, new]) for known, new in zip(best, asked)]
        _, first = np.unique(np.stack(rows), axis=1, return_index=True)
        order = first[np.argsort(-found[first], kind="stable")][:KEPT]
        stale = stale + 1 if len(errors) and found[order[0]] <= errors[0] else 0
        best, errors = [row[order] for row in rows], found[order]
    return WorstScalars(tuple(floats_of(row, function.target) for row in best), tuple(map(float, errors)), done)


def _round(function: Function, best: list[Any], size: int, generator: np.random.Generator) -> list[Any]:
    """The bit patterns to ask next, a row for each argument."""
    fresh = size if not len(best[0]) else size // FRESH
    rows = [spread_evenly(fresh, function.target, generator, signed=signed) for signed in function.signs]
    if fresh == size:
        return rows
    parents = generator.integers(0, len(best[0]), size - fresh)
    moved = generator.integers(1, 1 << len(rows), size - fresh)  # which arguments move: at least one
    near: list[Any] = []
    for place, (known, signed) in enumerate(zip(best, function.signs)):
        steps = np.exp2(generator.uniform(0, function.target.precision_bits + 1, size - fresh)).astype(np.int64)
        steps *= np.where(generator.random(size - fresh) < 0.5, -1, 1)
        ordered = places_of(known[parents], function.target) + np.where(moved >> place & 1, steps, 0)
        near.append(patterns_of(ordered, function.target, signed=signed))
    return [np.concatenate([row, more]) for row, more in zip(rows, near)]
