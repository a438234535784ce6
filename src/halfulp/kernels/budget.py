"""Budget: the seconds that a judgement has, and what a question may take of them."""

from __future__ import annotations

import time

from .pace import Pace
from .problem import count_of
from .question import Question

BUDGET_S = 27.0
"""For one solution, so that an answer takes half a minute with the start of its processes; the questions that say the most come first."""
PASSES = 100
"""A whole judgement runs the reference about fifty times, some of them op by op: one question is not to take longer than the budget."""
FIRST_CALLS = 60
"""Calls that the budget has to have time for, or a solution starts with one: before anything else there are eight for cheats and ten for a
whole judgement, and they may take a third of the budget."""
CALLS = 3
"""In which an answer that needs no whole judgement is given: of the reference, of it in float64, and of the solution."""
PART = 10
"""A far question may take so much of the budget as one of these parts, as it seems before it is asked."""


class Budget:
    """How much time there is, and how much a question would take.

    Args:
        seconds: loading included; after that, questions get half of it in any case.

    Attributes:
        deadline: of `time.monotonic`. call_s: what a call takes on the inputs from which questions start. numbers: that these have.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._start, self.deadline = time.monotonic(), 0.0
        self.call_s, self.numbers = 0.0, 0
        self._pace = Pace()

    def begin(self) -> None:
        """The solution is loaded: what compiles has done so."""
        self.deadline = max(self._start + self.seconds, time.monotonic() + self.seconds / 2)

    @property
    def is_over(self) -> bool:
        """Whether no further question is asked."""
        return time.monotonic() > self.deadline

    @property
    def pass_s(self) -> float:
        """What one run of the reference may take in a question."""
        return self.seconds / PASSES

    def too_long(self, question: Question) -> float:
        """About how many seconds a far question would take, where that is too much: as the size does, or as the numbers grow; otherwise 0.

        What the largest one of the same size took says more than what the given inputs do.
        """
        if not question.far:
            return 0.0
        name = next(iter(question.sizes)) if len(question.sizes) == 1 else ""
        took_s = self._pace.seconds(name, question.sizes.get(name, 0))
        found = self.call_s * count_of(question.setting) / max(self.numbers, 1) if took_s is None else took_s / CALLS
        return found if found > self.seconds / PART else 0.0

    def took(self, question: Question, seconds: float) -> None:
        """Note what a question of one size took."""
        if len(question.sizes) == 1 and not question.gradients:
            ((name, size),) = question.sizes.items()
            self._pace.note(name, size, seconds)
