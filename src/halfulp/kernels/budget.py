"""Budget: the seconds that a judgement has, and what a question may take of them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from .problems.problem import count_of
from .questions.pace import Pace
from .questions.question import Question

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
"""A far question may take so much of the budget as one of these parts, and is not asked where it would take more, as it seems."""

LITTLE = 4 * PART
"""A question whose answer decides nothing takes less: there are up to ten of them, and together they get a quarter of the budget."""


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
        self._pace, self._reference = Pace(), Pace()

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

    def within_s(self, question: Question) -> float:
        """The seconds that an answer may take: of a far question, one of the parts; of one that decides nothing, less; of others, any."""
        parts = PART if question.far else LITTLE if question.exotic else 0
        return max(self.seconds / parts, CALLS * self.call_s) if parts else math.inf

    def too_long(self, question: Question) -> float:
        """About how many seconds a question would take, where that is too much; otherwise 0.

        What smaller sizes took says most; of a far question of which nothing is known, how its numbers grow.
        """
        if question.steady:
            return 0.0
        name = next(iter(question.sizes)) if len(question.sizes) == 1 else ""
        size = question.sizes.get(name, 0)
        reference_s = self._reference.seconds(name, size) or 0.0
        if reference_s > self.pass_s:
            return reference_s
        took_s = self._pace.seconds(name, size)
        found = self.call_s * count_of(question.setting) / max(self.numbers, 1) if took_s is None else took_s / CALLS
        return found if question.far and found > self.seconds / PART else 0.0

    def took(self, question: Question, seconds: float, reference_s: float, given: Mapping[str, int]) -> None:
        """Note what a question of one size took, and one call of the reference in it.

        Args:
            given: the sizes of the problem, which another draw of its inputs has.
        """
        if question.kind == "seed" or (len(question.sizes) == 1 and not question.gradients and not question.steady):
            for name, size in (question.sizes or given).items():
                self._pace.note(name, size, seconds)
                self._reference.note(name, size, reference_s)
