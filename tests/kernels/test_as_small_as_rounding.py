"""What differs in float64 too is a mistake, unless it is as small as rounding in the format that is declared."""

import pytest
import torch

import halfulp
from halfulp.kernels.judging import judge_here

PROBLEM = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x) * torch.sigmoid(x) * torch.sigmoid(x)
def get_inputs():
    return [torch.randn(64, 128)]
def get_init_inputs():
    return []
"""
SOLUTION = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x):
        z = x.double()
        y = z / (1 + torch.exp(-z)) ** 3
        return (y * (1 + {size!r} * torch.sin(1e4 * z.detach()))).to(x.dtype)
"""


@pytest.mark.parametrize(("units", "answers"), [(1.2, ("RIGHT",)), (8.0, ("MISTAKE", "UNSTABLE"))])
def test_an_error_that_does_not_shrink_counts_once_it_is_larger_than_rounding(tmp_path, units, answers):
    def reference(x):
        return x * torch.sigmoid(x) * torch.sigmoid(x) * torch.sigmoid(x)

    noise = halfulp.check(lambda x: reference(x.double()).to(x.dtype), reference, torch.randn(64, 128)).find("noise")
    assert noise is not None
    (tmp_path / "problem.py").write_text(PROBLEM)
    (tmp_path / "solution.py").write_text(SOLUTION.format(size=units * noise.number("noise_rel_rms") * 2**0.5))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8.0)
    assert found.answer in answers, found.because
