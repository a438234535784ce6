"""Pieces of one axis: one holds nearly all, as long as nothing says how long they may be."""

import pytest

from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.promises.stated import Stated
from halfulp.kernels.questions.pieces import piece_questions

SEGMENTS = '''
import torch
import torch.nn as nn
class Model(nn.Module):
    """Sums of the pieces of x{says}."""
    def forward(self, x, {name}):
        bounds = {bounds}
        return torch.stack([x[lo:hi].sum(0) for lo, hi in zip(bounds, bounds[1:])])
lengths = [7, 19, 3, 28, 11]
def get_inputs():
    return [torch.randn(sum(lengths), 4), {given}]
def get_init_inputs():
    return []
'''
WAYS = {
    "starts": ("ptr.tolist()", "torch.tensor([0, *torch.tensor(lengths).cumsum(0).tolist()])", [0, 1, 2, 3, 4, 68]),
    "ends": ("[0, *ptr.tolist()]", "torch.tensor(lengths).cumsum(0)", [1, 2, 3, 4, 68]),
    "lengths": ("[0, *ptr.cumsum(0).tolist()]", "torch.tensor(lengths)", [1, 1, 1, 1, 64]),
}


def asked(tmp_path, way, says="", name="ptr"):
    bounds, given, _ = WAYS[way]
    text = SEGMENTS.format(says=says, name=name, bounds=bounds.replace("ptr", name), given=given)
    (tmp_path / "problem.py").write_text(text, encoding="utf-8")
    problem = read_problem(tmp_path / "problem.py")
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    found = piece_questions(draws[0], Promises(draws), Stated(problem, draws))
    return {question.label: question.setting.arguments[1].tolist() for question in found}


@pytest.mark.parametrize("way", WAYS)
def test_one_piece_holds_nearly_all_whatever_way_pieces_are_given(tmp_path, way):
    assert asked(tmp_path, way) == {"one piece of input 1 holds nearly all": WAYS[way][2]}


def test_pieces_may_be_empty_where_the_text_speaks_of_it(tmp_path):
    found = asked(tmp_path, "starts", says="; an empty piece gives zeros")
    assert found["one piece of input 1 holds nearly all"] == [0, 0, 0, 0, 0, 68]
    assert found["every third piece that input 1 ends is empty"] == [0, 0, 26, 29, 29, 68]


def test_how_long_a_piece_may_be_is_a_promise(tmp_path):
    assert not asked(tmp_path, "starts", says=", each of at most 28 rows")
    assert not asked(tmp_path, "starts", name="max_bounds")
    assert asked(tmp_path, "starts", says=", of numbers up to 100")


@pytest.mark.parametrize(("most", "answer"), [("48", "MISTAKE"), ("len(x)", "RIGHT")])
def test_a_tile_that_holds_a_whole_piece_of_the_given_ones_alone(tmp_path, most, answer):
    (tmp_path / "problem.py").write_text(SEGMENTS.format(says="", name="ptr", bounds=WAYS["starts"][0], given=WAYS["starts"][1]))
    body = (
        f"torch.stack([torch.ones(min(hi - lo, {most})) @ x[lo : min(hi, lo + {most})] for lo, hi in zip(ptr.tolist(), ptr.tolist()[1:])])"
    )
    text = f"import torch\nimport torch.nn as nn\nclass ModelNew(nn.Module):\n    def forward(self, x, ptr):\n        return {body}\n"
    (tmp_path / "solution.py").write_text(text)
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found
