"""Two changes at a time: what each alone leaves right."""

from dataclasses import replace

import pytest
import torch

from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.questions.pairs import extremes, longer_constructor_questions
from halfulp.kernels.questions.question import Question


def sized(**sizes):
    return Question("sizes", str(sizes), Setting((torch.ones(2),), (8, 4)), sizes=sizes)


def test_the_smallest_and_the_largest_of_each_size_are_taken():
    asked = [sized(n=5), sized(n=1), sized(n=9), sized(m=3), sized(n=2, m=2), Question("gradients", "", Setting((), ()), gradients="all")]
    assert [question.sizes for question in extremes(asked)] == [{"n": 1}, {"n": 9}, {"m": 3}]


def test_a_constructor_keeps_what_a_size_changed_in_it():
    given = Setting((torch.ones(2),), (4, 4))
    other = Question("parameters", "decay=2.0 instead of 0.5", replace(given, init=(4, 4, 2.0)), of="decay")
    (found,) = longer_constructor_questions(given, [other], [sized(n=8)])
    assert found.setting.init == (8, 4, 2.0) and found.label.startswith("decay=2.0")


def test_a_mark_that_inputs_must_avoid_is_not_changed_where_inputs_are_drawn_again():
    given = Setting((torch.tensor([1, 3, 2]),), (0,))
    other = Question("parameters", "blank=1 instead of 0, and 0 instead of 1 in the inputs", Setting((torch.tensor([0, 3, 2]),), (1,)))
    size = Question("sizes", "n: 5 instead of 3", Setting((torch.tensor([1, 3, 2, 1, 1]),), (0,)), sizes={"n": 5})
    assert not list(longer_constructor_questions(given, [other], [size]))


VARIANCE = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)
        self.width = width
    def forward(self, x):
        {body}
rows, channels, length, width = 4, 6, 10, 3
def get_inputs():
    return [torch.randn(rows, channels, length)]
def get_init_inputs():
    return [channels, width]
"""

BY_HAND = """
        y = nn.functional.pad(x, (self.width // 2, self.width // 2)).unfold(2, self.width, 1).mean(-1)
        mean, var = self.norm.running_mean[:, None], self.norm.running_var[:, None]
        if self.training:
            mean = y.mean((0, 2), keepdim=True)
            var = {var}
            n = y.numel() // y.shape[1]
            with torch.no_grad():
                self.norm.num_batches_tracked += 1
                self.norm.running_mean.lerp_(mean.flatten(), 0.1)
                self.norm.running_var.lerp_(var.flatten() * n / (n - 1), 0.1)
        return (y - mean) * self.norm.weight[:, None] * torch.rsqrt(var + self.norm.eps) + self.norm.bias[:, None]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("var", "answer"),
    [("(y - mean).square().mean((0, 2), keepdim=True)", "RIGHT"), ("y.square().mean((0, 2), keepdim=True) - mean.square()", "UNSTABLE")],
)
def test_squares_that_cancel_only_without_padding(tmp_path, var, answer):
    """Zeros at both ends spread the numbers as far as their mean is from zero; a window of one has none."""
    pooled = "return self.norm(nn.functional.avg_pool1d(x, self.width, 1, self.width // 2))"
    (tmp_path / "problem.py").write_text(VARIANCE.format(name="Model", body=pooled))
    (tmp_path / "solution.py").write_text(VARIANCE.format(name="ModelNew", body=BY_HAND.format(var=var)))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=120.0)
    assert found.answer == answer, found
    assert answer == "RIGHT" or "a mean a thousand times the spread" in found.label
