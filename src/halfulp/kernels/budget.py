"""Budget: how many seconds a judgement has, and how many of them one question may take."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from .problems.problem import count_of
from .questions.pace import Pace
from .questions.question import Question

BUDGET_S = 26.0
"""For one solution: an answer takes half a minute, with the time that its processes need to start. The most telling questions come
first."""
PASSES = 100
"""A whole judgement runs the reference about fifty times, some of them op by op; no single question may take longer than the budget."""
FIRST_CALLS = 60
"""The budget must have time for this many calls; otherwise the questions start from smaller sizes. Before any other question there are
eight calls that look for cheats and ten for a whole judgement, and these may take a third of the budget."""
CALLS = 3
"""Calls that an answer without a whole judgement needs: the reference, the reference in float64, and the solution."""
PART = 10
"""A far question may take one part in this many of the budget, and is not asked where it would probably take more."""

LITTLE = 4 * PART
"""A question that decides nothing may take less: there are up to ten of them, and together they get a quarter of the budget."""


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
        self._unfinished: list[tuple[dict[str, int], float]] = []

    def begin(self) -> None:
        """Start the clock: the solution is loaded, and whatever compiles at loading has done so."""
        self.deadline = max(self._start + self.seconds, time.monotonic() + self.seconds / 2)

    @property
    def is_over(self) -> bool:
        """Whether to ask no more questions."""
        return time.monotonic() > self.deadline

    @property
    def is_half_over(self) -> bool:
        """Whether half of the time is over."""
        return time.monotonic() > self.deadline - self.seconds / 2

    @property
    def pass_s(self) -> float:
        """How long one run of the reference may take in a question."""
        return self.seconds / PASSES

    def within_s(self, question: Question) -> float:
        """How many seconds an answer may take: less for far questions and for those that decide nothing."""
        parts = PART if question.far else LITTLE if question.exotic else 0
        return max(self.seconds / parts, CALLS * self.call_s) if parts else math.inf

    def too_long(self, question: Question) -> float:
        """About how many seconds a question would take, if that is too many; otherwise 0.

        The best guide is how long smaller sizes took; for a far question without one, it is how fast its numbers grow.
        """
        if question.steady:
            return 0.0
        for sizes, seconds in self._unfinished if question.far else ():
            if sizes.keys() == question.sizes.keys() and all(question.sizes[name] >= size for name, size in sizes.items()):
                return seconds
        name = next(iter(question.sizes)) if len(question.sizes) == 1 else ""
        size = question.sizes.get(name, 0)
        reference_s = self._reference.seconds(name, size) or 0.0
        if reference_s > self.pass_s:
            return reference_s
        took_s = self._pace.seconds(name, size)
        found = self.call_s * count_of(question.setting) / max(self.numbers, 1) if took_s is None else took_s / CALLS
        return found if question.far and found > self.seconds / PART else 0.0

    def took(self, question: Question, seconds: float, reference_s: float, given: Mapping[str, int]) -> None:
        """Note how long a question of one size took, and one call of the reference in it.

        Args:
            given: the sizes of the problem, which another draw of its inputs has.
        """
        if question.far and question.sizes and seconds > self.within_s(question):
            self._unfinished.append((dict(question.sizes), seconds))
        if question.kind == "seed" or (len(question.sizes) == 1 and not question.gradients and not question.steady):
            for name, size in (question.sizes or given).items():
                self._pace.note(name, size, seconds)
                self._reference.note(name, size, reference_s)
