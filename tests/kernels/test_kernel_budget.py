"""How long a question would take is known from the sizes before it, and what it may take is bounded."""

import math

import pytest
import torch

from halfulp.kernels.budget import LITTLE, PART, Budget
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.questions.pace import Pace
from halfulp.kernels.questions.question import Question
from halfulp.kernels.trials.trial import TOO_LATE, Trials


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


def test_what_took_too_long_is_not_asked_again_at_the_same_or_larger_sizes():
    budget = Budget(30.0)
    budget.numbers, budget.call_s = 4, 1e-3

    def cut(size, others=2):
        return Question("sizes", "", Setting((torch.ones(4),)), sizes={"n": size, "m": others}, far=True)

    assert not budget.too_long(cut(50_000))
    budget.took(cut(50_000), 4.0, 0.001, {"n": 10, "m": 10})
    assert budget.too_long(cut(50_000)) == budget.too_long(cut(90_000)) == 4.0
    assert not budget.too_long(cut(40_000)) and not budget.too_long(asked(90_000, far=True))


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


SUMMED = """
import torch
class {name}(torch.nn.Module):
    def forward(self, x):
        return {result}
rows, length = 2, 16
def get_inputs():
    return [torch.randn(rows, length)]
def get_init_inputs():
    return []
"""


def test_what_needed_more_than_its_part_of_the_time_is_asked_again_at_the_end(tmp_path, monkeypatch):
    """Rows of more than 1,500 numbers lose their tail; no question is answered in a part of the time."""
    ask = Trials.ask
    monkeypatch.setattr(Trials, "ask", lambda self, setting, how: ask(self, setting, how) if how.within_s == math.inf else TOO_LATE)
    (tmp_path / "problem.py").write_text(SUMMED.format(name="Model", result="x.sum(-1)"))
    (tmp_path / "solution.py").write_text(SUMMED.format(name="ModelNew", result="x.cumsum(-1)[:, min(x.shape[1], 1500) - 1]"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=27.0)
    assert (found.answer, found.kind) == ("MISTAKE", "sizes"), found.because
    assert found.asked[-1].label == found.label
    assert len({(asked.kind, asked.label) for asked in found.asked}) == len(found.asked)


SLEEPS = """
import time
import torch
from torch import nn
class {name}(nn.Module):
    def forward(self, x):
        time.sleep({seconds})
        return {body}
def get_inputs():
    return [torch.randn(6, 8)]
def get_init_inputs():
    return []
"""


def test_a_solution_that_sleeps_is_not_known_to_be_right(tmp_path):
    """It would be asked about the given inputs alone, and it is wrong on all others."""
    (tmp_path / "problem.py").write_text(SLEEPS.format(name="Model", seconds=0, body="x * torch.sigmoid(x)"))
    (tmp_path / "solution.py").write_text(SLEEPS.format(name="ModelNew", seconds=0.7, body="x / (1 + torch.exp(-x)) if len(x) == 6 else x"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=6.0)
    assert found.answer == "UNDECIDED" and "other sizes" in found.because, found


def test_a_question_in_between_does_not_stand_for_the_one_before(tmp_path, monkeypatch):
    """The answer to gradients, "it records none", was taken from the question about sizes that came half-way through the time."""
    monkeypatch.setattr(Budget, "is_half_over", True)
    (tmp_path / "problem.py").write_text(SLEEPS.format(name="Model", seconds=0, body="x * torch.sigmoid(x)"))
    (tmp_path / "solution.py").write_text(SLEEPS.format(name="ModelNew", seconds=0, body="x.detach() / (1 + torch.exp(-x.detach()))"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=6.0)
    assert found.answer == "RIGHT", found
