"""What a solution's source says of NaN, and what a text says of a range, or a name of zero, is asked."""

import pytest
import torch

from halfulp.cases import Case
from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.promises.ranges import ranges_of
from halfulp.kernels.promises.stated import Stated
from halfulp.kernels.questions.pieces import piece_questions
from halfulp.kernels.solutions.source import Source
from halfulp.kernels.trials.looks import undefined

CLAMPED = '''
import torch
import torch.nn as nn

class Model(nn.Module):
    """{says}"""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x.tanh() * 2

def get_inputs():
    return [torch.randn(6, 40)]

def get_init_inputs():
    return []
'''
SOLVED = """
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def forward(self, x):
        e = torch.exp(-2 * x.abs())
        y = -2 * torch.expm1(-2 * x.abs()) / (1 + e) * torch.where(x < 0, -1.0, 1.0)
        return {result}
"""


@pytest.mark.parametrize(
    ("says", "result", "answer"),
    [
        ("Twice a tangent.", "torch.where(torch.isnan(y), torch.zeros_like(y), y)", "MISTAKE"),
        ("Twice a tangent.", "y.nan_to_num(nan=7.0)", "MISTAKE"),
        ("Twice a tangent.", "torch.where(torch.isnan(x), x, y)", "RIGHT"),
        ("Twice a tangent.", "torch.where(x == x, y, 0.0)", "RIGHT"),  # of NaN neither says anything
        ("Twice a tangent of finite numbers.", "torch.where(torch.isnan(y), torch.zeros_like(y), y)", "RIGHT"),
    ],
)
def test_who_looks_for_nan_is_asked_what_becomes_of_it(tmp_path, says, result, answer):
    (tmp_path / "problem.py").write_text(CLAMPED.format(says=says), encoding="utf-8")
    (tmp_path / "solution.py").write_text(SOLVED.format(result=result), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8)
    assert found.answer == answer, found


@pytest.mark.parametrize(
    ("code", "looks"),
    [
        ("y = torch.isnan(x)", True),
        ("from math import isnan\ny = isnan(x)", True),
        ('SOURCE = "float f(float x) { return isnan(x) ? 0.f : x; }"', True),
        ('"""Says nothing of isnan."""\ny = x  # nan_to_num', False),
        ("y = torch.fmax(x, z)", False),
    ],
)
def test_a_source_that_looks_for_nan(code, looks):
    assert Source(code).speaks_of_nan("y = tanh(x)") is looks
    assert not Source(code).speaks_of_nan("scores.masked_fill(~mask, -torch.inf)")


def test_nan_is_defined_where_inputs_hold_it():
    x = torch.tensor([1.0, torch.nan, -torch.inf])

    def finite(x):
        return (x - x).nan_to_num(0.0)

    assert not undefined(Case(finite, lambda x: x - x, (x,)))
    assert undefined(Case(finite, lambda x: x - x, (x[[0, 2]],)))


TURNED = '''
import torch

def ref_kernel(data):
    """Turns numbers by angles.

    data: (x, places): x float32 (rows, n);
    places int64 (n,), {says}
    """
    x, places = data
    return x * torch.cos(places.double() * 0.0123).float()

def generate_input(rows: int, n: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    return torch.randn(rows, n, generator=gen), torch.arange(n)
'''
APPROXIMATE = """
import torch

def custom_kernel(data):
    x, places = data
    return x * torch.sin(places.double() * {frequency} + torch.pi / 2).float()
"""
FOLDER = {
    "task.yml": "tests:\n  - {rows: 4, n: 16, seed: 1}\n",
    "submission.py": "import torch\n",
}


def turned(folder, says):
    (folder / "reference.py").write_text(TURNED.format(says=says), encoding="utf-8")
    for name, text in FOLDER.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read_problem(folder)


@pytest.mark.parametrize(
    ("says", "ranges"),
    [
        ("any values 0..8191 in any order.", {1: (0, 8191)}),
        ("which may be any integers from 0 to 8191.", {1: (0, 8191)}),
        ("any values 20 to 30.", {}),  # not true of those that are drawn
        ("usually all values 0..8191.", {}),
        ("any order.", {}),
    ],
)
def test_a_range_of_integers_belongs_to_the_input_named_before_it(tmp_path, says, ranges):
    problem = turned(tmp_path, says)
    assert Stated(problem, [problem.draw(seed, {}) for seed in (0, 1, 2)]).whole_ranges == ranges


@pytest.mark.parametrize(("frequency", "answer"), [("0.0123", "RIGHT"), ("(0.0123 * (1 + 1e-9))", "MISTAKE")])
def test_integers_are_asked_over_the_range_that_the_text_gives(tmp_path, frequency, answer):
    problem = turned(tmp_path, "any values 0..2147483647 in any order.")
    (tmp_path / "solution.py").write_text(APPROXIMATE.format(frequency=frequency), encoding="utf-8")
    found = judge_here(problem, tmp_path / "solution.py", budget_s=8)
    assert found.answer == answer, found


PADDED = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class {name}(nn.Module):
    def __init__(self, padding):
        super().__init__()
        self.padding = padding

    def forward(self, x):
        {body}

PADDING = 1

def get_inputs():
    return [torch.randn(3, 4, 20)]

def get_init_inputs():
    return [PADDING]
"""


@pytest.mark.parametrize(
    ("body", "answer"),
    [("return F.pad(x, (p, p)).unfold(2, 3, 1).sum(-1)", "RIGHT"), ("return F.pad(x, (p, p)).unfold(2, 3, 1).sum(-1) + 0 ** p", "MISTAKE")],
)
def test_padding_of_zero_is_asked(tmp_path, body, answer):
    reference = "return F.avg_pool1d(x, 3, 1, self.padding) * 3"
    (tmp_path / "problem.py").write_text(PADDED.format(name="Model", body=reference), encoding="utf-8")
    (tmp_path / "solution.py").write_text(PADDED.format(name="ModelNew", body=f"p = self.padding; {body}"), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8)
    assert found.answer == answer, found
    assert answer == "RIGHT" or "PADDING: 0 instead of 1" in found.because


IGNORED = '''
import torch

def ref_kernel(data):
    """The loss of each row; rows whose target is ignore_index count for nothing, whatever that is."""
    logits, target, ignore_index = data
    live = target != ignore_index
    found = torch.logsumexp(logits.double(), 1) - logits.double().gather(1, torch.where(live, target, 0)[:, None]).squeeze(1)
    return torch.where(live, found, 0.0).float()

def generate_input(rows: int, classes: int, ignore_index: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    target = torch.randint(0, classes, (rows,), generator=gen)
    target[::3] = ignore_index
    return torch.randn(rows, classes, generator=gen), target, ignore_index
'''
IGNORING = """
import numpy as np
import torch

def custom_kernel(data):
    logits, target, ignore_index = data
    x, t = logits.numpy().astype(np.float64), target.numpy()
    live = {live}
    top = x.max(1)
    found = np.log(np.exp(x - top[:, None]).sum(1)) + top - x[np.arange(len(t)), np.where(live, t, 0)]
    return torch.from_numpy(np.where(live, found, 0.0).astype(np.float32))
"""


@pytest.mark.parametrize(("live", "answer"), [("t != ignore_index", "RIGHT"), ("t >= 0", "MISTAKE")])
def test_a_mark_among_the_arguments_becomes_a_number_that_inputs_hold(tmp_path, live, answer):
    tests = "tests:\n  - {rows: 12, classes: 6, ignore_index: -100, seed: 1}\n"
    for name, text in (("reference.py", IGNORED), ("task.yml", tests), ("solution.py", IGNORING.format(live=live))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=8)
    assert (found.answer == "RIGHT") is (answer == "RIGHT"), found
    assert answer == "RIGHT" or "ignore_index" in found.because


@pytest.mark.parametrize(
    ("says", "range_of"),
    [
        ("x float32 (rows, n), every value finite and in [-10, 10]; places int64 (n,).", (-10.0, 10.0)),
        ("0 <= x <= 1; places int64 (n,), at most 4096 of them.", (0.0, 1.0)),
        ("x finite, magnitude up to 1e4.", (-1e4, 1e4)),
        ("Input:\n      x       [rows, n]  logarithm of the decay, between -100 and 2\n      places  [n]", (-100.0, 2.0)),
        ("Input:\n      x       float32 [rows, n]  between 0 and 1\n      places  [n]", (0.0, 1.0)),
        ("x >= -10.", None),
        ("usually -10 <= x <= 10.", None),
    ],
)
def test_the_range_of_an_input_is_found_however_the_text_limits_it(tmp_path, says, range_of):
    problem = turned(tmp_path, "any order.\n\n    " + says)
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    bounded = draws[0].arguments[0][0].sigmoid()
    given = Setting(((bounded, draws[0].arguments[0][1]),))
    assert ranges_of(given, Stated(problem, [given])).get(0) == range_of


REMEMBERED = """
import torch
KNOWN = {{}}

def custom_kernel(data):
    x, places = data
    key = {key}
    if key not in KNOWN:
        KNOWN[key] = x * torch.sin(places.double() * 0.0123 + torch.pi / 2).float()
    return KNOWN[key].clone()
"""


@pytest.mark.parametrize(
    ("key", "answer"),
    [("(x.numpy().tobytes(), places.numpy().tobytes())", "RIGHT"), ("(x.shape, round(float(x.sum()), 3), float(x[0, 0]))", "MISTAKE")],
)
def test_answers_looked_up_by_a_sum_are_told(tmp_path, key, answer):
    problem = turned(tmp_path, "any order.")
    (tmp_path / "solution.py").write_text(REMEMBERED.format(key=key), encoding="utf-8")
    found = judge_here(problem, tmp_path / "solution.py", budget_s=8)
    assert found.answer in ({"RIGHT"} if answer == "RIGHT" else {"MISTAKE", "CHEAT"}), found


def test_pieces_at_both_ends_may_be_empty(tmp_path):
    says = "any order. Segments may be empty, at the start and at the end too."
    problem = turned(tmp_path, says)
    given = [Setting(((torch.randn(60), torch.tensor([0, *sorted(ends), 60])),)) for ends in ([9, 20, 31, 44, 50], [4, 8, 30, 32, 41])]
    asked = {question.label: question.setting for question in piece_questions(given[0], Promises(given), Stated(problem, given))}
    outer = next(setting for label, setting in asked.items() if "the first and the last pieces" in label)
    assert outer.arguments[0][1].tolist() == [0, 0, 0, 31, 60, 60, 60]
