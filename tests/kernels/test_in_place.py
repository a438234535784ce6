"""Inputs that a problem has updated in place: solutions have to update them, and may return them."""

import pytest

import halfulp
from halfulp.kernels.judging import judge_here

REFERENCE = """
import torch
def generate_input(rows, n, seed):
    g = torch.Generator().manual_seed(seed)
    return torch.randn(rows, n, generator=g), torch.randn(4 * rows, n, generator=g), torch.randint(0, 4, (rows,), generator=g)
def ref_kernel(data):
    x, cache, pos = data
    cache[torch.arange(len(x)) * 4 + pos] = torch.tanh(x) * 0.5
    return x.sum(-1), cache
"""
TASK = """
description: |
  One step: data = (x [rows, n], cache [4 rows, n], pos int64 [rows] in [0, 4)).
  Row 4 r + pos[r] of the cache becomes tanh(x[r]) / 2. {says}
tests:
  - {{rows: 8, n: 16, seed: 1}}
"""
SOLUTION = """
import torch
def custom_kernel(data):
    x, cache, pos = data
    {first}
    for row in range(len(x)):
        e = torch.exp(-2.0 * x[row].double().abs())
        cache[4 * row + int(pos[row])] = (torch.sign(x[row]) * (1 - e) / (1 + e) / 2).float()
    return x.double().sum(-1).float(), cache
"""
DEMANDED = "The cache is updated IN PLACE and returned; the next step reads it."


@pytest.mark.parametrize(
    ("says", "first", "answer"),
    [
        (DEMANDED, "pass", "RIGHT"),
        (DEMANDED, "cache = cache.clone()", "MISTAKE"),
        ("The cache may be updated in place; it is returned.", "cache = cache.clone()", "RIGHT"),
    ],
)
def test_what_is_to_be_updated_in_place_is_updated(tmp_path, says, first, answer):
    (tmp_path / "reference.py").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "task.yml").write_text(TASK.format(says=says), encoding="utf-8")
    (tmp_path / "solution.py").write_text(SOLUTION.format(first=first), encoding="utf-8")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=8.0)
    assert found.answer == answer, halfulp.report(found)
    assert answer == "RIGHT" or "doesn't update inputs" in found.because


UPDATED = """
import torch
from torch import nn

class {name}(nn.Module):
    def forward(self, x, cache):
        {body}

def get_inputs():
    return [torch.randn(6, 8), torch.randn(6, 8)]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize(
    ("reference", "solution", "answer"),
    [
        ("cache += x.tanh(); return x.sum(-1)", "z = torch.expm1(-2 * x.double().abs()); cache += (-torch.sign(x) * z / (z + 2)).float(); return x.double().sum(-1).float()", "RIGHT"),
        ("cache += x.tanh(); return x.sum(-1)", "cache.zero_(); return x.double().sum(-1).float()", "MISTAKE"),
        ("cache += x.tanh(); return x.sum(-1)", "return x.double().sum(-1).float()", "RIGHT"),  # nothing says that it has to be written
        ("torch.softmax(x, -1, out=cache)", "e = (x - x.amax(-1, keepdim=True)).exp(); cache.copy_(e / e.sum(-1, keepdim=True))", "RIGHT"),
        ("torch.softmax(x, -1, out=cache)", "cache.copy_(x.exp() / x.exp().sum(-1, keepdim=True) + 1e-4)", "MISTAKE"),
        ("torch.softmax(x, -1, out=cache)", "return torch.ones(3)", "MISTAKE"),
    ],
)  # fmt: skip
def test_what_is_written_to_inputs_is_compared(tmp_path, reference, solution, answer):
    (tmp_path / "problem.py").write_text(UPDATED.format(name="Model", body=reference), encoding="utf-8")
    (tmp_path / "solution.py").write_text(UPDATED.format(name="ModelNew", body=solution), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8.0)
    assert found.answer == answer, halfulp.report(found)
