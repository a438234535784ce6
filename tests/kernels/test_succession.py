"""Modules that remember: calls of which each goes on from the one before, and what is kept between them."""

import pytest
import torch

from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import Setting, call
from halfulp.kernels.trials.succession import differing, expected, successive

STREAM = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    \'\'\'Running means of x (rows, size) since the last reset, per row. Inference only. The caller may overwrite x after the call.\'\'\'
    def __init__(self, rows, size):
        super().__init__()
        {state}
    @torch.no_grad()
    def forward(self, x, reset):
        {body}
rows, size = 4, 6
def get_inputs():
    return [torch.randn(rows, size), torch.zeros(rows, dtype=torch.bool)]
def get_init_inputs():
    return [rows, size]
"""
STATE = 'self.register_buffer("total", torch.zeros(rows, size)); self.register_buffer("count", torch.zeros(rows))'
BODY = """keep = (~reset).float()
        self.total = self.total * keep[:, None] + x
        self.count = self.count * keep + 1
        return self.total / self.count[:, None]"""
OTHERWISE = "self.rows = rows; self.parts = [[] for _ in range(rows)]"
BY_LISTS = """means = []
        for row, forget in enumerate(reset.tolist()):
            self.parts[row] = ([] if {forget} else self.parts[row]) + [x[row].clone()]
            means.append(sum(self.parts[row]) / len(self.parts[row]))
        return torch.stack(means)"""
VIEW = BODY.replace(
    "self.total = self.total * keep[:, None] + x",
    "old = self.total * keep[:, None]\n        self.total = old + x if bool(old.any()) else x",
)


@pytest.mark.parametrize(
    ("state", "body", "answer", "words"),
    [
        (OTHERWISE, BY_LISTS.format(forget="forget"), "RIGHT", ""),
        (OTHERWISE, BY_LISTS.format(forget="bool(reset.any())"), "MISTAKE", "remembers something different"),
        (STATE, BODY.replace("self.count * keep + 1", "self.count + 1"), "MISTAKE", ""),
        (STATE, VIEW, "CHEAT", "memory of its inputs"),
    ],
    ids=["lists", "one reset for all", "the count goes on", "a view is kept"],
)
def test_what_a_module_remembers_is_asked(tmp_path, state, body, answer, words):
    (tmp_path / "problem.py").write_text(STREAM.format(name="Model", state=STATE, body=BODY))
    (tmp_path / "solution.py").write_text(STREAM.format(name="ModelNew", state=state, body=body))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer and words in found.because, found


class Kept(torch.nn.Module):
    """It replaces its buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(3))

    def forward(self, x):
        was, self.last = self.last, x + 1
        return was


def test_a_buffer_that_a_call_replaces_is_seen_and_put_back():
    module = Kept()
    result, buffers = call(module, {"last": torch.ones(3)}, (torch.full((3,), 5.0),), {}, training=False)
    assert torch.equal(result, torch.ones(3)) and torch.equal(buffers["last"], torch.full((3,), 6.0))
    assert torch.equal(module.last, torch.zeros(3))


def test_each_call_goes_on_from_the_one_before_and_the_module_stays_as_it_was():
    module = Kept()
    settings = [Setting((torch.full((3,), float(number)),)) for number in range(3)]
    assert [float(found[0]) for found in expected(module, settings)] == [0.0, 1.0, 2.0]
    assert torch.equal(module.last, torch.zeros(3))


def test_switches_are_off_and_then_on_here_and_there():
    given, *others = (Setting((torch.randn(4), torch.ones(4, dtype=torch.bool))) for _ in range(3))
    found = [setting.arguments[1].tolist() for setting in successive(given, others)]
    assert found == [[True] * 4, [False] * 4, [True, False] * 2, [False] * 4]


def test_rounding_is_no_difference_and_a_whole_number_is():
    x = torch.randn(50, generator=torch.Generator().manual_seed(0))
    assert not list(differing([x, x * (1 + 1e-6)], [x, x]))
    assert list(differing([x, x + 0.5, x], [x, x, x])) == [2]
    assert list(differing([torch.tensor([1, 2])], [torch.tensor([1, 3])])) == [1]
    many = torch.arange(1000)
    assert not list(differing([torch.cat([many[:1] + 1, many[1:]])], [many]))  # one of a thousand may lie between two
