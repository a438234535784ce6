"""Where a reference gives numbers that are no guide, a difference decides nothing; where it is one, it decides."""

from types import SimpleNamespace

import pytest
import torch

from halfulp.kernels import answers
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import ALL, Setting
from halfulp.kernels.questions.question import Question
from halfulp.kernels.trials.trial import Outcome
from halfulp.kernels.trials.undefined import why_undefined
from halfulp.verdicts import Verdict

X = torch.arange(-4.0, 4.0)


def asked(target, arguments, given=None, *, special=True, gradients=False, poles=False):
    setting = Setting(arguments)
    before = setting if given is None else Setting(given)
    return why_undefined(lambda _: target, setting, before, special=special, gradients=gradients, poles=poles)


@pytest.mark.parametrize("value", [100.0, 1e4])
def test_what_overflows_on_the_way_is_no_guide_to_infinities(value):
    def decay(x):
        return torch.exp(-torch.exp(x))  # 0 where the inner one is infinite

    assert "leaves the range" in asked(decay, (torch.full((4,), value),), (X,))
    assert asked(decay, (torch.full((4,), value),), (X,), special=False) == ""
    assert asked(decay, (X,)) == ""


def test_infinities_that_the_reference_writes_are_its_own():
    def masked(x):
        return torch.softmax(x.masked_fill(x < 0, -torch.inf), 0) + torch.where(x > 0, x, torch.full_like(x, torch.inf)).amin()

    assert asked(masked, (X,)) == ""


def test_what_overflows_on_the_given_inputs_too_says_nothing():
    """The logarithms that `ctc_loss` keeps are minus infinity where there is no way: a gradient of NaN is still the solution's own."""

    def loss(scores, labels):
        lengths = torch.full((scores.shape[1],), scores.shape[0])
        return torch.nn.functional.ctc_loss(torch.log_softmax(scores, -1), labels, lengths, torch.full_like(lengths, labels.shape[1]))

    given, other = ((torch.randn(6, 2, 5), torch.ones(2, 3, dtype=torch.long)) for _ in range(2))
    assert asked(loss, given, gradients=ALL) == "" and asked(loss, other, given, gradients=ALL) == ""


@pytest.mark.parametrize(("number", "at_a_pole"), [(0.0, True), (-1.0, False)])
def test_a_pole_is_a_guide_where_the_problem_says_that_results_are_infinite(number, at_a_pole):
    given, other = (torch.ones(3),), (torch.tensor([1.0, number, 2.0]),)
    assert "leaves the range" in asked(torch.log, other, given)
    assert (asked(torch.log, other, given, poles=True) == "") is at_a_pole


def test_what_overflows_is_no_guide_whatever_the_problem_says():
    assert "leaves the range" in asked(torch.exp, (torch.tensor([0.0, 100.0]),), (torch.ones(2),), poles=True)


def test_a_gradient_that_overflows_is_no_guide():
    def root(x):
        return torch.sqrt(x)

    for poles in (False, True):
        assert "leaves the range" in asked(root, (torch.zeros(3),), (torch.ones(3),), gradients=ALL, poles=poles)
    assert asked(root, (torch.ones(3),), gradients=ALL) == ""


def test_a_slice_past_the_end_is_no_guide_unless_the_given_inputs_have_one():
    def turned(x, count):
        return torch.cat([x[count // 2 : count], x[: count // 2], x[count:]])

    def tiled(x, count):
        return torch.cat([x[start : start + 3] for start in range(0, len(x), 3)]) * count

    assert "past the end" in asked(turned, (X, 9), (X, 8))
    assert asked(turned, (X, 6), (X, 8)) == ""
    assert asked(tiled, (X, 9), (X, 8)) == ""
    assert asked(tiled, (X, 1), (X[:6], 1)) == ""  # the tail of another size is what a kernel has to get right


def test_the_best_six_of_one_are_no_guide():
    def best(x, count):
        return x.sort(dim=1, descending=True).values[:, :count]

    given, one = (torch.randn(3, 8), 6), (torch.randn(3, 1), 6)
    setting = {"special": False, "gradients": False}
    assert "past the end" in why_undefined(lambda _: best, Setting(one), Setting(given), shaped=True, **setting)
    assert why_undefined(lambda _: best, Setting(one), Setting(given), **setting) == ""


def test_more_of_the_best_than_there_are_is_no_guide_where_a_constructor_asks_for_them():
    def best(init):
        return lambda x: x.sort(dim=1, descending=True).values[:, : init[0]]

    x = torch.randn(3, 8)
    how = {"special": False, "gradients": "", "shaped": True}
    assert "past the end" in why_undefined(best, Setting((x,), (9,)), Setting((x,), (6,)), **how)
    assert why_undefined(best, Setting((x,), (7,)), Setting((x,), (6,)), **how) == ""


def test_negative_places_count_from_the_end_and_are_no_guide():
    def taken(x, table):
        return x[table]

    x = torch.randn(5, 3)
    how = {"special": False, "gradients": ""}
    given, changed = Setting((x, torch.tensor([0, 4]))), Setting((x, torch.tensor([0, -1])))
    assert "negative places" in why_undefined(lambda _: taken, changed, given, **how)
    assert why_undefined(lambda _: taken, changed, changed, **how) == ""


def test_results_that_lose_the_shape_of_the_inputs_are_no_guide():
    def cut(x, count):
        return torch.cat([x[: count // 2 * 2], x[count:]])

    assert "lose the shape" in asked(cut, (X, 5), (X, 4))
    assert asked(cut, (X[1:], 5), (X, 4)) == ""  # other inputs: other results


MASKED = """
import torch
import torch.nn as nn

class {name}(nn.Module):
    def forward(self, x):
        rows, columns = x.shape
        allowed = torch.arange(columns)[None] >= torch.arange(rows)[:, None] - columns // 2
        scores = x.masked_fill(~allowed, -torch.inf)
        return {result}

rows = 24
def get_inputs():
    return [torch.randn(rows, 32)]
def get_init_inputs():
    return []
"""


def test_a_reference_that_gives_nan_at_other_sizes_decides_nothing_there(tmp_path):
    # The rows that may look at nothing are NaN in softmax; a kernel that gives them zeros is right where there are none.
    (tmp_path / "problem.py").write_text(MASKED.format(name="Model", result="torch.softmax(scores, 1).sum(0)"))
    finite = "torch.nan_to_num(torch.softmax(scores, 1)).sum(0)"
    for name, result in (("right", finite), ("wrong", finite + " * (x.shape[0] != 23)")):
        (tmp_path / f"{name}.py").write_text(MASKED.format(name="ModelNew", result=result))
    assert judge_here(tmp_path / "problem.py", tmp_path / "right.py", budget_s=8).acceptable, "rows at 49 are masked as a whole"
    assert judge_here(tmp_path / "problem.py", tmp_path / "wrong.py", budget_s=8).verdict is Verdict.MISTAKE


LOSS = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class {name}(nn.Module):
    def __init__(self, ignored):
        super().__init__()
        self.ignored = ignored

    def forward(self, x, target):
        {body}

def get_inputs():
    target = torch.randint(0, 10, (60,))
    target[::7] = -100
    return [torch.randn(60, 10), target]
def get_init_inputs():
    return [-100]
"""
BODIES = {
    "as it is": ("return F.cross_entropy(x, target, ignore_index=self.ignored)", ""),
    "kept": ("kept = target != self.ignored; x, target = x[kept], target[kept]\n"
             "        return (torch.logsumexp(x, 1) - x.gather(1, target[:, None])[:, 0]).mean()", "RIGHT"),
    "not negative": ("kept = target >= 0; x, target = x[kept], target[kept]\n"
                     "        return (torch.logsumexp(x, 1) - x.gather(1, target[:, None])[:, 0]).mean()", "MISTAKE"),
    "frozen": ("kept = target != -100; x, target = x[kept], target[kept]\n"
               "        return (torch.logsumexp(x, 1) - x.gather(1, target[:, None])[:, 0]).mean()", "MISTAKE"),
}  # fmt: skip


@pytest.mark.parametrize("name", ["kept", "not negative", "frozen"])
def test_the_number_that_marks_what_does_not_count_is_another_one(tmp_path, name):
    (tmp_path / "problem.py").write_text(LOSS.format(name="Model", body=BODIES["as it is"][0]))
    body, answer = BODIES[name]
    (tmp_path / "solution.py").write_text(LOSS.format(name="ModelNew", body=body))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20)
    assert found.answer == answer, found.because
    assert answer == "RIGHT" or "in the inputs as well" in found.because


STRIDED = """
import torch
def ref_kernel(data):
    left, right = data
    return left + 2 * right
def custom_kernel(data):
    left, right = data
    strides = {strides}.stride()
    start = right.storage_offset()
    reach = start + 1 + sum((length - 1) * step for length, step in zip(right.shape, strides))
    held = right.untyped_storage().nbytes() // right.element_size()
    return left + 2 * (torch.as_strided(right, right.shape, strides, start) if reach <= held else right)
def generate_input(rows: int, seed: int):
    torch.manual_seed(seed)
    return torch.randn(rows, 24), torch.randn(rows, 24)
"""


@pytest.mark.parametrize("strides", ["left", "right"])
def test_strides_of_one_input_are_not_those_of_another(tmp_path, strides):
    (tmp_path / "reference.py").write_text(STRIDED.format(strides="right"))
    (tmp_path / "task.yml").write_text("description: |\n  Both inputs may have any strides.\ntests:\n  - {rows: 24, seed: 1}\n")
    (tmp_path / "solution.py").write_text(STRIDED.format(strides=strides))
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=20)
    assert found.acceptable is (strides == "right"), found.because
    assert strides == "right" or (found.kind == "layout" and "but for input 0" in found.because)


SEGMENTS = """
import torch
def {name}(data):
    values, places = data
    sums = torch.zeros(8).index_add(0, places, values)
    counts = torch.zeros(8).index_add(0, places, torch.ones_like(values))
    return {result}
def generate_input(rows: int, seed: int):
    torch.manual_seed(seed)
    return torch.randn(rows), torch.randint(0, 8, (rows,))
"""


@pytest.mark.parametrize(("result", "right"), [("sums * (1 / counts.clamp(min=1))", True), ("sums / counts", False)])
def test_groups_are_empty_too(tmp_path, result, right):
    (tmp_path / "reference.py").write_text(SEGMENTS.format(name="ref_kernel", result="sums / counts.clamp(min=1)"))
    (tmp_path / "task.yml").write_text("tests:\n  - {rows: 400, seed: 1}\n")
    (tmp_path / "solution.py").write_text(SEGMENTS.format(name="custom_kernel", result=result))
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=20)
    assert found.acceptable is right, found.because


def test_it_is_compared_with_the_setting_from_which_questions_start(monkeypatch):
    """Of a slow solution, one with smaller sizes: the shape that results have there is that of its inputs."""
    beside: list[Setting] = []
    monkeypatch.setattr(answers, "why_undefined", lambda _make, _setting, given, **_how: beside.append(given) or "no guide")
    own, smaller, other = (
        SimpleNamespace(given=Setting((x,)), stated=SimpleNamespace(poles=False), promises=SimpleNamespace(ties=()))
        for x in (X, X[:4], X[:2])
    )
    found = answers.Answers(SimpleNamespace(sandbox=SimpleNamespace(place=""), reference=None), None, None, own)
    wrong = Outcome("wrong", "another shape")
    assert found._why_undefined(Question("sizes", "one", other.given), wrong) == "no guide"
    found.basis = smaller
    found._why_undefined(Question("sizes", "one", other.given), wrong)
    found._why_undefined(Question("sizes", "one", other.given, start=other.given), wrong)
    assert beside == [own.given, smaller.given, other.given]
