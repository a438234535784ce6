"""Other tests of a problem, where they switch something on that its first one leaves off: at other sizes, and on other values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .problem import Problem
from .promises import Promises
from .question import Question
from .questions import value_questions
from .sizes import PROPORTIONS, REFUSALS, SEVERAL, size_questions
from .stated import Stated

MOST_TESTS = 3
"""Tests, the ones that come first: each asks again what was asked of the first."""
OF_EACH = len(PROPORTIONS) + 6
"""Sizes of each, the nearest first."""


def other_test_questions(problem: Problem, stated: Stated, seeds: Sequence[int]) -> Iterator[Question]:
    """Near sizes, one several times as large, and values, of each test that differs from the first one in more than sizes.

    Args:
        seeds: of the draws that say what a test promises.
    """
    for other in problem.others[:MOST_TESTS]:
        try:
            draws = [other.draw(seed, {}) for seed in seeds]
        except REFUSALS:
            continue
        promises = Promises(draws)
        promises.may_reach_zero(stated.signed)
        near = size_questions(other, draws[0], promises, seeds[0])
        values = (question for question in value_questions(draws[0], promises, stated, seeds[0]) if question.kind == "values")
        for question in itertools.chain(itertools.islice(near, OF_EACH), _longest(other, seeds[0]), values):
            yield replace(question, label=f"{other.name}: {question.label}", sizes={**other.sizes, **question.sizes})


def _longest(other: Problem, seed: int) -> Iterator[Question]:
    for name, size in other.sizes.items():
        changes = {name: SEVERAL * size + 1}
        try:
            yield Question("sizes", f"{name}: {changes[name]} instead of {size}", other.draw(seed, changes), far=True, sizes=changes)
        except REFUSALS:
            continue
