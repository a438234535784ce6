"""What a constructor gets is another number, truth value or mark; what two results are apart."""

import math

import pytest
import torch

import halfulp
from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.comparisons import comparisons_in
from halfulp.kernels.problems.facts import distance, distributed_otherwise
from halfulp.kernels.questions.parameters import constructor_questions, moved, quoted
from halfulp.kernels.questions.whole_numbers import compared

PROBLEM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, {parameters}):
        super().__init__()
    def forward(self, x, targets):
        return x

def get_inputs():
    return [torch.randn(4, 6), torch.tensor([1, 3, 2, 1])]
def get_init_inputs():
    return [{given}]
"""


def asked(tmp_path, parameters, given):
    (tmp_path / "problem.py").write_text(PROBLEM.format(parameters=parameters, given=given), encoding="utf-8")
    problem = read_problem(tmp_path / "problem.py")
    found = list(constructor_questions(problem, problem.draw(0, {})))
    return {question.label: question.setting for question in found}


def test_numbers_and_truth_values_of_a_constructor(tmp_path):
    found = asked(tmp_path, "width, scale, flag=True, steps=3, eps=0.0", "7, 0.5")
    assert {label: setting.init for label, setting in found.items()} == {
        "scale=0.0625 instead of 0.5": (7, 0.0625, True, 3, 0.0), "scale=4.0 instead of 0.5": (7, 4.0, True, 3, 0.0),
        "scale=0.0 instead of 0.5": (7, 0.0, True, 3, 0.0),
        "flag=False instead of True": (7, 0.5, False, 3, 0.0),
        "steps=4 instead of 3": (7, 0.5, True, 4, 0.0), "steps=7 instead of 3": (7, 0.5, True, 7, 0.0), "eps=0.1 instead of 0.0": (7, 0.5, True, 3, 0.1),
    }  # fmt: skip


def test_a_mark_is_another_number_whether_or_not_the_inputs_hold_it(tmp_path):
    found = asked(tmp_path, "ignore_index", "-100")
    assert [setting.init for setting in found.values()] == [(1,), (-101,)]
    found = asked(tmp_path, "blank", "0")
    (label,) = found
    assert label == "blank=1 instead of 0, and 0 instead of 1 in the inputs"
    assert found[label].arguments[1].tolist() == [0, 3, 2, 0]
    assert "dim=1 instead of 0" in asked(tmp_path, "dim", "0")
    assert not any("in the inputs" in label for label in asked(tmp_path, "axis", "-1")), "an axis is no mark"


def test_a_constructor_that_asks_for_more_than_it_is_given_is_asked_nothing(tmp_path):
    assert not asked(tmp_path, "width, scale", "7")


def test_variances_stay_positive_and_whole_numbers_change_places():
    state = {
        "running_var": torch.rand(8) + 0.1,
        "codes": torch.tensor([3, 1, 2]),
        "ends": torch.tensor([0, 2, 5]),
        "all": torch.full((4,), 8),
    }
    found = moved(state, 0)
    assert bool((found["running_var"] > 0).all()) and not torch.equal(found["running_var"], state["running_var"])
    assert found["codes"].tolist() == [2, 1, 3] and found["ends"].tolist() == [0, 2, 5] and found["all"].tolist() == [7] * 4


def test_two_results_are_as_far_apart_as_their_farthest_elements():
    x = torch.tensor([1.0, math.inf, math.nan])
    assert distance([x], [x.clone()]) == 0.0 and distance([x], [torch.tensor([1.5, math.inf, math.nan])]) == 0.5
    assert distance([x], [torch.tensor([1.0, math.inf, 0.0])]) == math.inf and distance([x], [x[:2]]) == math.inf


@pytest.mark.parametrize(
    ("change", "what"),
    [(lambda x: x, ""), (lambda x: x + 1, "mean"), (lambda x: 2 * x, "mean square"), (lambda x: x * (x > 0) + x * 0, "mean")],
)
def test_random_results_are_told_apart_by_what_they_are_on_average(change, what):
    draws = [torch.randn(400, generator=torch.Generator().manual_seed(seed)) for seed in range(64)]
    assert distributed_otherwise([change(x) for x in draws[:32]], draws[32:]) == what


def test_numbers_that_a_source_compares_with():
    text = "def forward(self, x, t):\n    keep = t != -1\n    return f(x, t, ignore_index=-7) if x.dim() == 2 else x\n"
    assert compared(text) == {(-1, frozenset({"t"})), (-7, frozenset())}


def test_comparisons_of_a_source_hold_names_attributes_and_constants():
    found = list(comparisons_in("if self.mode in ('a', 'b') or 0 < n <= 3 or x.shape == [1]: pass\n"))
    assert [(sorted(each.names), each.values, each.is_equality) for each in found] == [
        (["mode", "self"], ("a", "b"), False),
        (["n"], (0, 3), False),
        (["shape", "x"], (1,), True),
    ]


CODES = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    \"\"\"The nearest code of each row. x: (rows, width).{says}\"\"\"
    def __init__(self, count, width):
        super().__init__()
        self.register_buffer("codes", torch.randn(count, width))
    def forward(self, x):
        distances = (x[:, None] - self.codes).square().sum(-1)
        return {chosen}
rows, width = 6, 5
def get_inputs():
    return [torch.randn(rows, width)]
def get_init_inputs():
    return [12, width]
"""
FIRST = "distances.argmin(1)"
LAST = "self.codes.shape[0] - 1 - distances.flip(1).min(1).indices"


@pytest.mark.parametrize(
    ("says", "chosen", "answer"),
    [
        (" Of equally near ones, the one with the lowest number.", "distances.min(1).indices", "RIGHT"),
        (" Of equally near ones, the one with the lowest number.", LAST, "MISTAKE"),
        ("", LAST, "RIGHT"),
    ],
)
def test_rows_of_parameters_are_alike_where_the_problem_says_which_counts(tmp_path, says, chosen, answer):
    (tmp_path / "problem.py").write_text(CODES.format(name="Model", says=says, chosen=FIRST))
    (tmp_path / "solution.py").write_text(CODES.format(name="ModelNew", says=says, chosen=chosen))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, halfulp.report(found)
    assert found.label == ("pairs of equal rows in every parameter and buffer" if answer == "MISTAKE" else "")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('padding="border": clamped. padding="zeros": outside counts as 0.', ["border", "zeros"]),
        ("padding is 'zeros' or 'border'; mode is 'x'", ["zeros", "border"]),
        ("padding in {'zeros', 'border', or 'wrap'}", ["zeros", "border", "wrap"]),
        ("if self.padding == 'border': y = 'zeros'", []),
        ("the padding of 'zeros'", []),
    ],
)
def test_which_strings_a_text_gives_for_a_name(text, found):
    assert quoted(text, "padding") == found


NORMALIZED = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(24, 32)
    def forward(self, x):
        return torch.nn.functional.layer_norm(self.linear(x), (32,))
def get_inputs():
    return [torch.randn(8, 24)]
"""
BY_HAND = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(24, 32)
    def forward(self, x):
        y = self.linear.bias + sum(x[:, k : k + 4] @ self.linear.weight[:, k : k + 4].T for k in range(0, 24, 4))
        mean = y.mean(-1, keepdim=True)
        var = {variance}
        return (y - mean) * torch.rsqrt(var + 1e-5)
"""


@pytest.mark.parametrize(
    ("variance", "answer"),
    [("(y - mean).square().mean(-1, keepdim=True)", "RIGHT"), ("(y * y).mean(-1, keepdim=True) - mean * mean", "UNSTABLE")],
)
def test_each_bias_is_far_from_zero_once(tmp_path, variance, answer):
    """Inputs far from zero spread what the weights make of them: only the bias gives a normalization a large mean."""
    (tmp_path / "problem.py").write_text(NORMALIZED, encoding="utf-8")
    (tmp_path / "solution.py").write_text(BY_HAND.format(variance=variance), encoding="utf-8")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, halfulp.report(found)
    assert answer == "RIGHT" or "linear.bias" in found.label
