"""Sizes that are asked: together in proportion, and no larger than what was too slow already."""

import pytest

from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.questions.other_sizes import BEYOND
from halfulp.kernels.questions.proportions import PROPORTIONS
from halfulp.kernels.questions.sizes import size_questions

WINDOW = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window
    def forward(self, x):
        n = x.shape[1]
        gap = torch.arange(n)[:, None] - torch.arange(n)
        return torch.where((gap >= 0) & (gap < self.window), 1.0, 0.0) @ x.mT
rows, length, window = 2, 64, 16
def get_inputs():
    return [torch.randn(rows, length)]
def get_init_inputs():
    return [window]
"""
TWO_BLOCKS = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window
    def forward(self, x):
        n = x.shape[1]
        at, of = torch.arange(n)[:, None], torch.arange(n)
        seen = (at - of >= 0) & (at - of < self.window){}
        return seen.to(x.dtype) @ x.mT
"""


@pytest.mark.parametrize(("also", "answer"), [(" & (at // 32 - of // 32 < 2)", "MISTAKE"), ("", "RIGHT")])
def test_a_window_and_what_it_slides_over_become_longer_together(tmp_path, also, answer):
    """Of blocks of 32, the last two are looked at: a window of 16 or 24 needs no third one, however long the sequence is."""
    (tmp_path / "problem.py").write_text(WINDOW)
    (tmp_path / "solution.py").write_text(TWO_BLOCKS.format(also))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found


def test_all_sizes_keep_their_proportions(tmp_path):
    (tmp_path / "problem.py").write_text(WINDOW)
    problem = read_problem(tmp_path / "problem.py")
    given = problem.draw(0, {})
    together = [question.sizes for question in size_questions(problem, given, Promises([given]), 0) if len(question.sizes) > 1]
    assert [found["length"] for found in together[: len(PROPORTIONS)]] == [48, 96, 160]
    assert [found["window"] for found in together[: len(PROPORTIONS)]] == [12, 24, 40]


def test_a_third_of_the_places_needs_more_than_sixteen_bits():
    assert all(limit > 1.4 * 2**bits for limit, bits in zip(BEYOND, (15, 16)))


SLOW = """
import time
import torch
def ref_kernel(data):
    return data * 2
def generate_input(rows: int, size: int, seed: int):
    torch.manual_seed(seed)
    return torch.randn(rows, size)
"""
BY_ROWS = """
import time
import torch
def custom_kernel(data):
    time.sleep(data.shape[0] / 2000)
    return data * (2 if data.shape[1] < 90000 else 3)
"""


def test_what_takes_long_for_its_size_leaves_time_for_the_other_sizes(tmp_path):
    """A process that is asked 49,153 rows would be waited for for nine seconds, and twice as long where that is asked again."""
    (tmp_path / "reference.py").write_text(SLOW)
    (tmp_path / "task.yml").write_text("tests:\n  - {rows: 16, size: 30, seed: 1}\n")
    (tmp_path / "solution.py").write_text(BY_ROWS)
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=30.0)
    assert (found.answer, found.label) == ("MISTAKE", f"size: {BEYOND[1]} instead of 30"), found
    assert any(entry.note.startswith("it would take about") for entry in found.asked)


ZERO = """
import torch
def ref_kernel(data):
    x, low = data
    return x - low
def generate_input(size: int, low: int, seed: int):
    torch.manual_seed(seed)
    return torch.randn(size), low
"""


def test_a_number_of_zero_is_no_length_to_divide_by(tmp_path):
    (tmp_path / "reference.py").write_text(ZERO)
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 30, low: 0, seed: 1}\n")
    (tmp_path / "solution.py").write_text("import torch\ndef custom_kernel(data):\n    return torch.add(data[0], -data[1])\n")
    assert judge_here(tmp_path, tmp_path / "solution.py", budget_s=10.0).acceptable


SPAN = """
import torch
def generate_input(size: int, low: int, span: int, bins: int, seed: int):
    x = torch.randint(low, low + span, (size,), generator=torch.Generator().manual_seed(seed)).to(torch.int32)
    return x, low, span, bins
def ref_kernel(data):
    x, low, span, bins = data
    d = x.long() - low
    return torch.bincount((d * bins // span)[(d >= 0) & (d < span)], minlength=bins)
"""
BINS = """
import torch
def custom_kernel(data):
    x, low, span, bins = data
    x = x[(x >= low) & (x < low + span)]
    return torch.bincount({}, minlength=bins)
"""


@pytest.mark.parametrize(
    ("bins", "label"),
    [
        ("((x - low).long() * bins // span)", ""),
        ("((x - low) * bins // span).clamp(0, bins - 1).long()", "span: 268435456 instead of 256"),
        ("((x - low).float() * (torch.tensor(float(bins)) / span)).long()", "span: 656 instead of 256"),
    ],
    ids=["in 64 bits", "in 32 bits", "by a reciprocal"],
)
def test_numbers_that_are_no_lengths_are_asked_where_products_overflow_and_quotients_are_rounded(tmp_path, bins, label):
    (tmp_path / "reference.py").write_text(SPAN)
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 300, low: 7, span: 256, bins: 16, seed: 1}\n")
    (tmp_path / "solution.py").write_text(BINS.format(bins))
    found = judge_here(tmp_path / "reference.py", tmp_path / "solution.py", budget_s=15.0)
    assert (found.answer == "RIGHT") == (label == "") and found.label.endswith(label), found


LAST_BUT_ONE = """
import torch
def generate_input(classes: int, seed: int):
    return torch.randn(4, classes, generator=torch.Generator().manual_seed(seed)), classes - 2
def ref_kernel(data):
    x, end = data
    return x[:, end]
"""


def test_a_size_at_which_a_place_would_lie_before_the_first_is_not_asked(tmp_path):
    (tmp_path / "reference.py").write_text(LAST_BUT_ONE)
    (tmp_path / "task.yml").write_text("tests:\n  - {classes: 50, seed: 1}\n")
    problem = read_problem(tmp_path)
    given = problem.draw(0, {})
    asked = {question.sizes["classes"] for question in size_questions(problem, given, Promises([given]), 0) if question.sizes}
    assert 1 not in asked and {5, 49, 51, 251} <= asked


def test_an_exponent_does_not_take_inputs_to_infinity(tmp_path):
    (tmp_path / "problem.py").write_text(
        "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x.cumsum(-1)\n"
        "def get_inputs():\n    return [torch.randn(64, 256).abs().pow(2)]\ndef get_init_inputs():\n    return []\n"
    )
    problem = read_problem(tmp_path / "problem.py")
    given = problem.draw(0, {})
    asked = list(size_questions(problem, given, Promises([given]), 0, blocks=(16, 32, 128)))
    assert any("the number 2" in question.label for question in asked)
    assert all(question.setting.arguments[0].isfinite().all() for question in asked)
