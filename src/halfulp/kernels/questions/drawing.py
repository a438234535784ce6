"""Drawing at other sizes: what a problem refuses, what would take too long, and what would need too much memory."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch

from ...errors import HalfulpError
from ..problems.calls import Setting, state_of
from ..problems.problem import LARGEST, Problem, count_of
from .footprint import is_large_inside
from .pace import Pace

REFUSALS = (HalfulpError, MemoryError, RuntimeError, ValueError, TypeError, IndexError, AssertionError, ZeroDivisionError)
"""What a problem raises for sizes that don't fit together."""
MOST_DRAW_S = 1.0
"""How long one draw may take, by an estimate from the largest size so far."""
FAR = 3
"""Times a size: larger sizes may need more memory than there is, so their elements are counted before they are drawn."""
SMALLER = (16, 4, 2)
"""What the other sizes become: even, as many have to be."""


class Draws:
    """Draws a problem's inputs at other sizes.

    Args:
        problem: whose inputs. given: at its own sizes. seed: where random numbers start.

    Attributes:
        most: how many elements inputs and parameters may have.
    """

    def __init__(self, problem: Problem, given: Setting, seed: int) -> None:
        self.problem, self.seed = problem, seed
        self.most = max(LARGEST, 2 * count_of(given))
        self._given = given
        self._pace = Pace()

    def draw(self, sizes: Mapping[str, int]) -> Setting:
        """Draw the inputs, and note how long that took."""
        start = time.monotonic()
        setting = self.problem.draw(self.seed, sizes)
        for name, size in sizes.items() if len(sizes) == 1 else ():
            self._pace.note(name, size, time.monotonic() - start)
        return setting

    def takes_long(self, name: str, size: int) -> bool:
        """Whether drawing this size would take too long, if time grows in proportion."""
        return (self._pace.seconds(name, size) or 0.0) > MOST_DRAW_S

    def fits(self, changes: Mapping[str, int], *, by_growth: bool = True) -> bool:
        """Whether inputs of other sizes, and what is computed from them, stay small, by a draw without numbers.

        Args:
            by_growth: whether to go by how much they grow, where code needs numbers.
        """
        try:
            with torch.device("meta"):
                setting = self.problem.draw(self.seed, changes)
                target = self.problem.make(setting.init)
                return count_of(replace(setting, state=state_of(target))) <= self.most and not is_large_inside(target, setting)
        except Exception:  # whatever code makes of tensors without numbers
            return by_growth and self._grown(changes) * count_of(self._given) <= self.most

    def cut(self, name: str, other: int) -> dict[str, int]:
        """One size, with the others reduced as far as needed; empty where that is not enough.

        Indices of few bits are tested past their range all the same.
        """
        return next((sizes for sizes in self._cuts(name, other) if self.fits(sizes)), {})

    def _cuts(self, name: str, other: int) -> Iterator[dict[str, int]]:
        for most in SMALLER:
            smaller = {each: most for each, value in self.problem.sizes.items() if each != name and value > most and each.isidentifier()}
            if smaller:
                yield {name: other, **smaller}

    def _grown(self, changes: Mapping[str, int]) -> float:
        """How many times as many elements there may be, if each changed size is that of two axes."""
        return math.prod(max(1.0, size / max(1, self.problem.sizes.get(name, size))) ** 2 for name, size in changes.items())
