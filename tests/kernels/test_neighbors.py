"""Files beside a problem, what becomes of them when another problem follows, and problems that are no Python."""

import sys

import pytest

import halfulp
from halfulp.errors import CaseFileError
from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.literals import INPUTS, constants_read, sizes_in

REFERENCE = """
import torch
from task import FACTOR
def generate_input(n, seed):
    return torch.randn(6, n, generator=torch.Generator().manual_seed(seed))
def ref_kernel(data):
    from extra import OFFSET
    return data * FACTOR + OFFSET
"""


def folder(tmp_path, name, factor, offset):
    place = tmp_path / name
    place.mkdir()
    (place / "reference.py").write_text(REFERENCE, encoding="utf-8")
    (place / "task.py").write_text(f"FACTOR = {factor}\n", encoding="utf-8")
    (place / "extra.py").write_text(f"OFFSET = {offset}\n", encoding="utf-8")
    (place / "task.yml").write_text("tests:\n  - {n: 16, seed: 1}\n", encoding="utf-8")
    return place


def test_each_problem_has_its_own_neighbors(tmp_path):
    before = list(sys.path)
    for name, factor, offset in (("one", 2.0, 1.0), ("two", 3.0, 4.0), ("one again", 2.0, 1.0)):
        problem = read_problem(folder(tmp_path, name, factor, offset))
        (draw,) = problem.draw(0, {}).arguments
        assert bool((problem.make(())(draw) == draw * factor + offset).all()), name
    assert len(sys.path) <= len(before) + 1


def test_a_solution_may_import_the_switches_of_a_problem(tmp_path):
    place = folder(tmp_path, "one", 2.0, 1.0)
    (place / "utils.py").write_text("class Quiet:\n    def __enter__(self): pass\n    def __exit__(self, *_): pass\n", encoding="utf-8")
    (place / "solution.py").write_text(
        "from utils import Quiet\ndef custom_kernel(data):\n    with Quiet():\n        return data + data + 1\n", encoding="utf-8"
    )
    found = judge_here(place, place / "solution.py", budget_s=8.0)
    assert found.answer == "RIGHT", halfulp.report(found)


@pytest.mark.parametrize("text", ["def f(:\n", "import sys\nsys.exit(3)\n", "x = " + "(" * 400 + ")" * 400, "raise ValueError('no')"])
def test_a_problem_that_does_not_run_is_told_as_such(tmp_path, text):
    (tmp_path / "problem.py").write_text(text, encoding="utf-8")
    with pytest.raises(CaseFileError, match="Needed: a file that runs"):
        read_problem(tmp_path / "problem.py")


def test_a_problem_in_another_encoding_is_told_as_such(tmp_path):
    (tmp_path / "problem.py").write_bytes("# é".encode("latin-1"))
    with pytest.raises(CaseFileError, match="Needed: a file that runs"):
        read_problem(tmp_path / "problem.py")


KERNELBOOK = """
from __future__ import annotations
from dataclasses import dataclass
import torch
from torch import nn

@dataclass
class Options:
    scale: float = 2.0

class Model(nn.Module):
    def __init__(self, size, basis, bias=True, scale=2.0):
        super().__init__()
        self.basis, self.scale = basis, scale
    def forward(self, x):
        return x @ self.basis * self.scale

def get_inputs():
    return [torch.randn(6, 8)]
def get_init_inputs():
    return {init}
"""


@pytest.mark.parametrize(
    "init", ["[8, torch.eye(8)]", "[[], {'size': 8, 'basis': torch.eye(8)}]", "[[8], {'scale': 3.0, 'basis': torch.eye(8)}]"]
)
def test_tensors_and_names_for_the_constructor(tmp_path, init):
    (tmp_path / "problem.py").write_text(KERNELBOOK.format(init=init), encoding="utf-8")
    body = KERNELBOOK.format(init=init).replace("class Model", "class ModelNew")
    for change, answer in (("(x[:, :, None] * self.basis).sum(1)", "RIGHT"), ("(x[:, :, None] * self.basis).sum(1) * 1.001", "MISTAKE")):
        (tmp_path / "solution.py").write_text(body.replace("x @ self.basis", change), encoding="utf-8")
        found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8.0)
        assert found.answer == answer, halfulp.report(found)


CONSTANT = """
import torch
from torch import nn
WIDTH = 16
SCALE = WIDTH ** -0.5
ROWS = 6

class {name}(nn.Module):
    def forward(self, q, k):
        return torch.softmax(q @ k.mT * {scale}, -1)

def get_inputs():
    return [torch.randn(ROWS, WIDTH), torch.randn(ROWS, WIDTH)]
def get_init_inputs():
    return []
"""


def test_a_constant_that_the_reference_reads_is_no_size(tmp_path):
    (tmp_path / "problem.py").write_text(CONSTANT.format(name="Model", scale="SCALE"), encoding="utf-8")
    assert dict(read_problem(tmp_path / "problem.py").sizes) == {"ROWS": 6}
    for scale in ("0.25", "q.shape[-1] ** -0.5"):
        text = CONSTANT.format(name="ModelNew", scale=scale).replace("q @ k.mT", "(q[:, None] * k).sum(-1)")
        (tmp_path / "solution.py").write_text(
            text.replace("torch.softmax(", "(lambda s, _: (e := (s - s.amax(-1, keepdim=True)).exp()) / e.sum(-1, keepdim=True))("),
            encoding="utf-8",
        )
        found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8.0)
        assert found.answer == "RIGHT", halfulp.report(found)


def test_a_local_name_is_no_constant():
    text = CONSTANT.format(name="Model", scale="0.25").replace(
        "def forward(self, q, k):", "def forward(self, q, k, WIDTH=3):\n        ROWS = len(q)"
    )
    text += "\nclass Other:\n    def __init__(self, WIDTH):\n        self.width = WIDTH\n"
    assert constants_read(text, INPUTS) == {} and sizes_in(text)["WIDTH"] == 16
    assert constants_read(CONSTANT.format(name="Model", scale="SCALE"), INPUTS) == {"WIDTH": 16}
