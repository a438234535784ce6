"""Basis: the setting from which questions start, and what the problem promises of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .problems.calls import Setting, same_arguments, state_of
from .problems.problem import Problem
from .promises.names import with_names
from .promises.promises import Promises
from .promises.stated import Stated, constructor_names

SEEDS = (0, 1, 2)
"""Seeds of the draws that show what a problem promises; every solution is asked about all of them."""


@dataclass(frozen=True, eq=False)
class Basis:
    """The setting from which questions start.

    Attributes:
        problem: whose sizes are those of the setting. given: the setting, with the reference's parameters.
        promises, stated: what holds of every draw, and what the text says.
    """

    problem: Problem
    given: Setting
    promises: Promises
    stated: Stated

    @classmethod
    def of(cls, problem: Problem, draws: Sequence[Setting], make: Callable[[tuple[Any, ...]], Any]) -> Basis:
        """Find the basis of a problem.

        Args:
            draws: of the problem, the first one to be started from. make: the reference for what a constructor gets.
        """
        state = state_of(make(draws[0].init))
        same = [replace(draw, state=state) if same_arguments(draw.init, draws[0].init) else draw for draw in draws]
        promises, stated = Promises(draws), Stated(problem, same)
        named = with_names(problem, same[0], stated.named_axes(same[0]), constructor_names(problem))
        if named is not problem:
            problem, stated = named, Stated(named, same)
        promises.may_reach_zero(stated.signed)
        promises.stay_sorted(stated.ascending)
        return cls(problem, same[0], promises, stated)

    def other_draw(self, seed: int) -> Setting:
        """Another draw of the inputs, with the parameters of the first."""
        return replace(self.problem.draw(seed, {}), init=self.given.init, state=self.given.state)

    def others(self, seed: int) -> list[Setting]:
        """The two other draws that every solution is asked.

        Args:
            seed: of the first one.
        """
        return [self.other_draw(seed + number) for number in SEEDS[1:]]


def drawn(problem: Problem, seed: int) -> list[Setting]:
    """The draws that show what a problem promises."""
    return [problem.draw(seed + number, {}) for number in SEEDS]
