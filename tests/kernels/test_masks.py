"""Masks are asked with blocks that are masked as a whole; with nothing that counts where the problem says what becomes of that."""

from pathlib import Path

import pytest
import torch

from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import Setting, leaves
from halfulp.kernels.problems.problem import Problem
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.promises.stated import Stated
from halfulp.kernels.questions.masks import has_rows_of_nothing, known_marks, mask_questions

PROBLEM = '''
import torch
import torch.nn as nn

class Model(nn.Module):
    """Softmax over what a mask counts. {says}"""
    def forward(self, x, mask):
        scores = x.masked_fill({counts}, float("-inf"))
        return torch.softmax(scores, -1).masked_fill(~mask.any(-1, keepdim=True), 0.0)

def get_inputs():
    mask = torch.rand(6, 40) > 0.3
    mask[:, 0] = True
    return [torch.randn(6, 40), mask]
def get_init_inputs():
    return []
'''
ONLINE = """
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def forward(self, x, mask):
        x = x.masked_fill(~mask, float("-inf"))
        largest, total = torch.full_like(x[:, :1], float("-inf")), torch.zeros_like(x[:, :1])
        for at in range(0, x.shape[1], 16):
            part = x[:, at : at + 16]
            new = torch.maximum(largest, part.amax(-1, keepdim=True))
            {guard}
            total = total * torch.exp(largest - new) + torch.exp(part - new).sum(-1, keepdim=True)
            largest = new
        return torch.where(mask.any(-1, keepdim=True), torch.exp(x - largest) / total, 0.0)
"""


@pytest.mark.parametrize(
    ("guard", "answer"),
    [("new = new.clamp(min=torch.finfo(x.dtype).min)", "RIGHT"), ("pass", "MISTAKE")],
    ids=["guarded", "-inf less -inf"],
)
def test_a_block_that_is_masked_as_a_whole_is_asked(tmp_path, guard, answer):
    (tmp_path / "problem.py").write_text(PROBLEM.format(says="Rows that see nothing give 0.", counts="~mask"), encoding="utf-8")
    (tmp_path / "solution.py").write_text(ONLINE.format(guard=guard), encoding="utf-8")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
    assert found.acceptable is (answer == "RIGHT"), (found.label, found.because)
    assert answer == "RIGHT" or "masked" in found.label


def asked(tmp_path, mask, says=""):
    (tmp_path / "problem.py").write_text(PROBLEM.format(says=says, counts="~mask"), encoding="utf-8")
    given = Setting((torch.randn(mask.shape), mask))
    found = mask_questions(given, Promises([given]), Stated(read_problem(tmp_path), [given]))
    return {question.label: leaves(question.setting.arguments)[1] for question in found}


@pytest.mark.parametrize(
    "written", [lambda m: m, lambda m: m.float(), lambda m: m.long(), lambda m: torch.zeros(m.shape).masked_fill(~m, -torch.inf)]
)
def test_masks_of_every_kind_are_changed_as_they_are_written(tmp_path, written):
    mask = torch.tensor([[True, False, True, False], [True, True, False, False]])
    found = asked(tmp_path, written(mask))
    assert set(found) == {
        f"{label} by input 1" for label in ("the first half masked", "the second half masked", "all but the last masked", "nothing masked")
    }
    assert all(tensor.dtype == written(mask).dtype for tensor in found.values())
    first = found["the first half masked by input 1"]
    assert torch.equal(first, written(torch.tensor([[False, False, True, False], [False, False, False, True]])))
    assert "everything masked by input 1" in asked(tmp_path, written(mask), says="Fully masked rows give 0.")


def test_a_row_in_which_no_such_place_is_left_is_asked(tmp_path):
    mask = torch.tensor([[True, False, True, False], [True, True, False, False]])
    says = "The mean over the positions that count; a sample with no such position has loss 0."
    assert "everything masked by input 1" in asked(tmp_path, mask, says=says)


def test_marks_among_places_are_a_mask(tmp_path):
    places = torch.tensor([[4, -1, 2, 7], [-1, 3, 3, -1]])
    found = asked(tmp_path, places, says="A bag without any gives 0.")
    assert found["all but the last masked by input 1"].tolist() == [[-1, -1, -1, 7], [-1, -1, -1, 4]]
    assert found["everything masked by input 1"].tolist() == [[-1] * 4] * 2
    assert found["nothing masked by input 1"].tolist() == [[4, 4, 2, 7], [4, 3, 3, 4]]


def test_what_is_no_mask_is_not_taken_for_one(tmp_path):
    one_hot = torch.eye(4)[torch.tensor([0, 2, 1])]
    for tensor in (one_hot, torch.zeros(3, 4), torch.randn(3, 4), torch.arange(12).reshape(3, 4)):
        assert not asked(tmp_path, tensor)


@pytest.mark.parametrize("flipped", [False, True])
def test_masks_that_are_runs_stay_runs(flipped):
    """What is padded to one length counts from its start, or up to its end: a reference may take the last place that counts for the length."""
    counts = torch.arange(12) < torch.tensor([12, 7, 9])[:, None]
    given = Setting((torch.randn(3, 12), counts.flip(-1) if flipped else counts))
    stated = Stated(PLAIN, [given])
    asked = [question.setting.arguments[1] for question in mask_questions(given, Promises([given]), stated)]
    steps = [mask.to(torch.int8).diff(dim=-1) * (-1 if flipped else 1) for mask in asked]
    assert len(asked) >= 2 and all(bool((step <= 0).all()) for step in steps)
    gaps = Setting((torch.randn(3, 12), torch.rand(3, 12) > 0.5))
    assert len(list(mask_questions(gaps, Promises([gaps]), stated))) >= 4


PLAIN = Problem("plain", "function", Path("none"), "f", lambda _: torch.sin, lambda *_: Setting(()), {})


def test_a_size_whose_mask_counts_nothing_in_a_row_is_not_asked_unless_the_text_speaks_of_it(tmp_path):
    given, short = (Setting((torch.randn(2, n), torch.arange(n) < torch.tensor([[n], [n // 2]]))) for n in (8, 1))
    for says, answer in (("", True), ("Fully masked rows give 0.", False)):
        (tmp_path / "problem.py").write_text(PROBLEM.format(says=says, counts="~mask"), encoding="utf-8")
        assert has_rows_of_nothing(short, given, Stated(read_problem(tmp_path), [given])) is answer
        assert not has_rows_of_nothing(given, given, Stated(read_problem(tmp_path), [given]))


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("def ref_kernel(table): return x[table >= 0]", {-100, -1}),
        ("def ref_kernel(table): return x if window > 0 else x[table]", {-100}),
        ("def generate_input(tilt): return 1 if tilt > 0 else 2", {-100}),
    ],
)
def test_what_a_source_asks_of_numbers_is_no_mark(text, marks):
    assert known_marks(text, {"window"}) == marks
