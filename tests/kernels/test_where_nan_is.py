"""Where the reference gives NaN it is no guide; everywhere else it is."""

import pytest

import halfulp
from halfulp.kernels.judging import judge_here

TEXT = """
import torch
from torch import nn

class {name}(nn.Module):
    def forward(self, x, mask):
        {body}

def get_inputs():
    mask = torch.rand(6, 8) > 0.3
    mask[2] = False
    return [torch.randn(6, 8), mask]
def get_init_inputs():
    return []
"""
REFERENCE = "return torch.softmax(x.masked_fill(~mask, -torch.inf), -1)"
SOLUTION = (
    "z = x.double().masked_fill(~mask, -1e300); e = (z - z.amax(-1, keepdim=True)).exp() * mask; "
    "return (e / e.sum(-1, keepdim=True).clamp_min(1e-300)).float()"
)


@pytest.mark.parametrize(("more", "answer"), [("", "RIGHT"), (" * 1.2", "MISTAKE"), (" + 1e-4 * mask", "MISTAKE")])
def test_other_rows_are_compared(tmp_path, more, answer):
    (tmp_path / "problem.py").write_text(TEXT.format(name="Model", body=REFERENCE), encoding="utf-8")
    (tmp_path / "solution.py").write_text(TEXT.format(name="ModelNew", body=SOLUTION + more), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8.0)
    assert found.answer == answer, halfulp.report(found)


def test_a_reference_of_nothing_but_nan_decides_nothing(tmp_path):
    (tmp_path / "problem.py").write_text(TEXT.format(name="Model", body="return x * torch.nan"), encoding="utf-8")
    (tmp_path / "solution.py").write_text(TEXT.format(name="ModelNew", body="return x * 0.0"), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8.0)
    assert found.answer == "UNDECIDED", halfulp.report(found)
