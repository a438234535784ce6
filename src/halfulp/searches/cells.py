"""Cells: the worst numbers of a function of one argument, looked for where it was worst in cells that become half as wide in each round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .scalars import AT_ONCE, FloatArray, Function, floats_of, judged_numbers, largest_place, patterns_of, places_of, spread_evenly

CELLS, EACH = 128, 16
"""How many cells are looked into in a round, and at how many numbers each: within a cell errors are as good as random.

`python -m benchmarks.worst.unary --cells --each --everywhere` compares settings: of 55 functions, 64 to 256 cells, 16 or 32 numbers and 2
to 5 first rounds bring 44 to 50 within 95 % of their worst, and these the most.
"""
EVERYWHERE = 3
"""Rounds of numbers from everywhere at first: one finds where a function is worst, two more how bad it is there."""
EDGES = 64
"""Edges between numbers and infinities that are closed in on, each by one number in a round."""
KEPT = 64
"""How many of the worst are returned."""
STALE = 20
"""After so many times from everywhere without anything worse it ends."""


def worst_numbers(
    function: Function, evaluations: int, generator: np.random.Generator, goes_on: Callable[[], bool]
) -> tuple[torch.Tensor, FloatArray, int]:
    """Search from everywhere, then in cells half as wide in each round; and again while that finds worse.

    Returns:
        The worst numbers, worst first; their errors in noise; how many numbers were asked for.
    """
    known, stale = _Numbers(function), 0
    wanted, width = known.ends(), 0.0
    before = -1.0
    while known.done < evaluations and not np.isinf(known.worst()):
        fresh = known.new(wanted)[: evaluations - known.done]
        fresh = generator.permutation(fresh)
        for start in range(0, len(fresh), AT_ONCE):
            if known.done and not goes_on():
                return known.found()
            known.ask(np.sort(fresh[start : start + AT_ONCE]))
        if width >= 1.0:
            wanted, width = known.around(width, generator), width / 2.0
            continue
        stale = 0 if known.worst() > before else stale + 1
        if stale >= STALE or len(known.places) > known.largest - known.least:
            break
        before = known.worst()
        wanted = known.everywhere(EVERYWHERE * AT_ONCE, generator)
        width = (known.largest - known.least + 1) / (EVERYWHERE * AT_ONCE)
    return known.found()


class _Numbers:
    """The numbers that a function of one argument was asked for, in order.

    Attributes:
        places: among the representable numbers. errors: in noise. finite: whether the results are finite. done: how many were asked.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._signed = function.signs[0]
        self.largest = largest_place(function.target)
        self.least = -self.largest if self._signed else 0
        self.places, self.errors, self.finite = np.empty(0, np.int64), np.empty(0), np.empty(0, bool)
        self.done = 0

    def new(self, places: Any) -> Any:
        """Those that were not asked yet, within the format."""
        inside = np.unique(np.clip(places, self.least, self.largest))
        found = np.minimum(np.searchsorted(self.places, inside), max(0, len(self.places) - 1))
        return inside[self.places[found] != inside] if len(self.places) else inside

    def ask(self, places: Any) -> None:
        """Ask for new ones."""
        errors, finite = judged_numbers(self._function, [self._floats(places)])
        self.done += len(places)
        self.places, self.errors = np.concatenate([self.places, places]), np.concatenate([self.errors, errors])
        self.finite = np.concatenate([self.finite, finite])
        order = np.argsort(self.places, kind="stable")
        self.places, self.errors, self.finite = self.places[order], self.errors[order], self.finite[order]

    def worst(self) -> float:
        """The largest error."""
        return float(self.errors.max(initial=-1.0))

    def ends(self) -> Any:
        """Where formats end and begin: the smallest and the largest numbers, powers of two and their neighbors."""
        target = self._function.target
        step = 1 << (target.precision_bits - 1)
        powers = np.arange(0, self.largest + 1, step, dtype=np.int64)
        ends = np.concatenate([powers - 1, powers, powers + 1, np.arange(EACH), self.largest - np.arange(EACH)])
        return np.concatenate([ends, -ends])

    def everywhere(self, count: int, generator: np.random.Generator) -> Any:
        """So many numbers, one from each of equally long parts."""
        patterns = spread_evenly(count, self._function.target, generator, signed=self._signed)
        return places_of(patterns, self._function.target)

    def around(self, width: float, generator: np.random.Generator) -> Any:
        """Numbers around the worst of each cell of a width, for the worst cells; and half-way between numbers and infinities."""
        order = np.argsort(-self.errors, kind="stable")
        _, first = np.unique(self.places[order] // max(1, int(width)), return_index=True)
        worst = self.places[order[np.sort(first)[:CELLS]]]
        reach = max(width, EACH / 4)
        near = (worst[:, None] + generator.uniform(-reach, reach, (len(worst), EACH))).astype(np.int64).ravel()
        edges = np.flatnonzero((self.finite[1:] != self.finite[:-1]) & (np.diff(self.places) > 1))[:EDGES]
        return np.concatenate([near, (self.places[edges] + self.places[edges + 1]) // 2])

    def found(self) -> tuple[torch.Tensor, FloatArray, int]:
        """The worst, see `worst_numbers`."""
        order = np.argsort(-self.errors, kind="stable")[:KEPT]
        return self._floats(self.places[order]), self.errors[order], self.done

    def _floats(self, places: Any) -> torch.Tensor:
        target = self._function.target
        return floats_of(patterns_of(places, target, signed=self._signed), target)
