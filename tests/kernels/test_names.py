"""What a text gives one name is one size: literals that belong together change together, and never alone."""

import pytest
import torch

from halfulp.kernels import read_problem
from halfulp.kernels.basis import Basis, drawn
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.literals import literals_in
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.questions.proportions import TOGETHER
from halfulp.kernels.questions.sizes import size_questions

GROUPED = '''
import torch
import torch.nn as nn
class Model(nn.Module):
    """Attention of groups of heads.

      q  float32 [T, num_heads, head_dim]
      k  float32 [T, num_kv_heads, head_dim]; num_kv_heads divides num_heads
    """
    def __init__(self, num_heads, num_kv_heads, head_dim):
        super().__init__()
        self.group = num_heads // num_kv_heads
        self.scale = head_dim**-0.5
    def forward(self, q, k):
        wide = k.repeat_interleave(self.group, dim=1)
        return torch.einsum("ihd,jhd->hij", q, wide) * self.scale
def get_inputs():
    return [torch.randn(16, 2, 8), torch.randn(16, 1, 8)]
def get_init_inputs():
    return [2, 1, 8]
'''
SOLUTION = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, num_heads, num_kv_heads, head_dim):
        super().__init__()
        self.of = {of}
        self.scale = head_dim**-0.5
    def forward(self, q, k):
        assert len(self.of) == q.shape[1] and max(self.of) < k.shape[1]
        return torch.stack([q[:, h] @ k[:, g].T for h, g in enumerate(self.of)]) * self.scale
"""
BY_GROUP = "[h // (num_heads // num_kv_heads) for h in range(num_heads)]"


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "problem.py").write_text(GROUPED, encoding="utf-8")
    return read_problem(tmp_path / "problem.py")


def test_every_literal_has_a_place():
    assert literals_in(GROUPED) == dict.fromkeys(("16#1", "2#1", "8#1", "16#2", "1#1", "8#2", "2#2", "1#2", "8#3"), False)
    assert literals_in("def get_inputs():\n    return torch.randint(0, 8, (16,))") == {"8#1": True, "16#1": False}


def test_literals_of_one_name_are_one_size(problem):
    basis = Basis.of(problem, drawn(problem, 0), problem.make)
    assert {name: basis.problem.sizes[name] for name in ("num_heads", "num_kv_heads", "head_dim")} == {
        "num_heads": 2, "num_kv_heads": 1, "head_dim": 8,
    }  # fmt: skip
    assert not any(name.partition("#")[0] in ("1", "2", "8") for name in basis.problem.sizes)
    changed = basis.problem.draw(0, {"num_heads": 4, "num_kv_heads": 2, "head_dim": 6})
    assert [tuple(tensor.shape) for tensor in changed.arguments] == [(16, 4, 6), (16, 2, 6)] and changed.init == (4, 2, 6)


def test_a_size_that_disagrees_with_the_axes_of_its_name_is_not_asked(problem):
    basis = Basis.of(problem, drawn(problem, 0), problem.make)
    for changes in ({"1#2": 2}, {"8#2": 1}, {"16#2": 1}):
        assert not basis.stated.allows(problem.draw(0, changes), {}), changes
    assert basis.stated.allows(problem.draw(0, {"16": 5}), {})


@pytest.mark.parametrize(
    ("of", "answer"), [(BY_GROUP, "RIGHT"), ("[h % num_kv_heads for h in range(num_heads)]", "MISTAKE")], ids=["by groups", "in turn"]
)
def test_two_groups_of_two_heads_are_asked(problem, tmp_path, of, answer):
    (tmp_path / "solution.py").write_text(SOLUTION.format(of=of), encoding="utf-8")
    found = judge_here(problem.file, tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found


@pytest.mark.parametrize(
    "inputs",
    ["torch.randn(16, 2, 8), torch.randn(16, 1, 8), torch.randn(16, 1, 8)", "torch.randint(0, 2, (16, 2, 8)), torch.randn(16, 1, 8)"],
    ids=["an axis without a name", "a limit of what is drawn"],
)
def test_a_number_that_may_belong_to_a_name_leaves_it_alone(tmp_path, inputs):
    """Of the third input nothing is said, and classes are counted by their labels: the reference would broadcast."""
    text = GROUPED.replace("torch.randn(16, 2, 8), torch.randn(16, 1, 8)", inputs).replace(
        "forward(self, q, k)", "forward(self, q, k, v=0)"
    )
    (tmp_path / "problem.py").write_text(text, encoding="utf-8")
    problem = read_problem(tmp_path / "problem.py")
    sizes = Basis.of(problem, drawn(problem, 0), problem.make).problem.sizes
    assert ("num_kv_heads" in sizes) is ("randint" in inputs) and ("num_heads" in sizes) is ("randint" not in inputs)


def test_a_size_of_one_and_one_of_two_are_doubled_together_where_both_are_lengths(tmp_path):
    (tmp_path / "problem.py").write_text(GROUPED, encoding="utf-8")
    read = read_problem(tmp_path / "problem.py")
    given = drawn(read, 0)
    named = Basis.of(read, given, read.make).problem
    asked = [question.sizes for question in size_questions(named, given[0], Promises(given), 0)]
    assert {"num_kv_heads": 2, "num_heads": 4} in asked[:TOGETHER]
    constants = "stride, kernel, padding = 2, 2, 1\n" + GROUPED
    (tmp_path / "problem.py").write_text(constants, encoding="utf-8")
    plain = read_problem(tmp_path / "problem.py")
    asked = [question.sizes for question in size_questions(plain, given[0], Promises(given), 0)]
    assert not any("padding" in sizes and len(sizes) > 1 for sizes in asked)


def test_what_is_meant_by_no_name_stays_a_size_of_its_own(tmp_path):
    (tmp_path / "problem.py").write_text(GROUPED.replace("torch.randn(16, 1, 8)]", "torch.randn(16, 1, 8) * 8]"), encoding="utf-8")
    problem = read_problem(tmp_path / "problem.py")
    sizes = Basis.of(problem, drawn(problem, 0), problem.make).problem.sizes
    assert sizes["head_dim"] == sizes["8"] == 8 and "8#3" in sizes
    assert torch.equal(problem.draw(0, {}).arguments[0], problem.draw(0, {}).arguments[0])
