"""How long a question would take is known from the sizes before it, and what it may take is bounded."""

import math

import pytest
import torch

from halfulp.kernels.budget import LITTLE, PART, Budget
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.questions.pace import Pace
from halfulp.kernels.questions.question import Question


@pytest.mark.parametrize(("fixed", "each"), [(0.0, 0.01), (0.2, 0.0), (0.2, 1e-4)])
def test_time_that_grows_with_a_size_is_known_from_two(fixed, each):
    pace = Pace()
    assert pace.seconds("n", 10) is None
    for size in (30, 10, 300):
        pace.note("n", size, fixed + each * size)
    assert pace.seconds("n", 90_000) == pytest.approx(fixed + each * 90_000)
    assert pace.seconds("m", 10) is None


def test_one_size_alone_says_that_time_grows_in_proportion_and_a_busy_machine_says_nothing():
    pace = Pace()
    pace.note("n", 10, 1.0)
    pace.note("n", 10, 0.5)
    pace.note("n", 10, 3.0)
    assert pace.seconds("n", 40) == pytest.approx(2.0)


def asked(size, **how):
    return Question("sizes", f"n: {size}", Setting((torch.ones(4),)), sizes={"n": size}, **how)


def test_what_the_reference_takes_too_long_for_is_not_asked_again_at_a_larger_size():
    budget = Budget(30.0)
    budget.numbers, budget.call_s = 4, 1e-3
    budget.took(Question("seed", "seed 1", Setting((torch.ones(4),))), 0.1, 0.001, {"n": 10})
    assert not budget.too_long(asked(100, far=True))
    budget.took(asked(100), 0.5, 0.2, {"n": 10})
    assert budget.too_long(asked(1000)) == pytest.approx(2.19)
    assert not budget.too_long(asked(1000, steady=True))


def test_what_grows_slowly_is_asked_however_large():
    budget = Budget(30.0)
    budget.numbers, budget.call_s = 4, 1e-3
    budget.took(Question("seed", "seed 1", Setting((torch.ones(4),))), 0.2, 0.001, {"n": 10})
    budget.took(asked(300), 0.2, 0.0011, {"n": 10})
    assert not budget.too_long(asked(98_305, far=True))


def test_far_questions_and_those_that_decide_nothing_take_a_part_of_the_time():
    budget = Budget(30.0)
    assert budget.within_s(asked(9)) == math.inf
    assert budget.within_s(asked(9, far=True)) == 30.0 / PART
    assert budget.within_s(asked(9, exotic=True)) == 30.0 / LITTLE
