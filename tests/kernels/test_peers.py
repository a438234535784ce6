"""The rules that people use accept what they accept, so that a benchmark beside them says something."""

import pytest
from benchmarks.kernels.peers import PEERS, TESTED, accepted_by

PROBLEM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)

def get_inputs():
    return [torch.randn(16, 300)]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize(
    ("result", "accepted"),
    [
        ("(x - x.amax(-1, keepdim=True)).exp() / (x - x.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True)", {*PEERS, TESTED}),
        ("torch.zeros_like(x)", set()),
        ("torch.softmax(x, -1) * 1.003", {"KernelBench at 1e-2", TESTED}),
        ("torch.softmax(x, -1)[:8]", set()),
        ("undefined", set()),
    ],
    ids=["right", "zeros", "off by 0.3 %", "another shape", "raises"],
)
def test_each_rule_accepts_what_it_says(tmp_path, result, accepted):
    (tmp_path / "problem.py").write_text(PROBLEM, encoding="utf-8")
    body = PROBLEM.replace("class Model", "class ModelNew").replace("return torch.softmax(x, -1)", f"return {result}")
    (tmp_path / "solution.py").write_text(body, encoding="utf-8")
    answers = accepted_by(tmp_path, tmp_path / "solution.py")
    assert {name for name, taken in answers.items() if taken} == accepted
