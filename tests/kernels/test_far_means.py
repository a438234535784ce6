"""A mean far from zero, of one input alone and in a wider format: where another input keeps the spread that the first one loses."""

import pytest
import torch

from halfulp.kernels.judging import judge_here
from halfulp.kernels.questions.question import FAR_MEAN, shifted

PROBLEM = '''
import torch
import torch.nn as nn
class Model(nn.Module):
    """x and r are float32 or bfloat16; their sum is taken in float32 and normalized without rounding.
    Forward only (no gradient is asked for)."""
    def __init__(self):
        super().__init__()
    def forward(self, x, r):
        wide = torch.float64 if x.dtype == torch.float64 else torch.float32
        h = x.to(wide) + r.to(wide)
        d = h - h.mean(-1, keepdim=True)
        return (d / torch.sqrt((d * d).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)
def get_inputs():
    return [torch.randn(6, 96).bfloat16(), torch.randn(6, 96).bfloat16()]
def get_init_inputs():
    return []
'''
SOLUTION = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x, r):
        {body}
"""
BODIES = {
    "two passes": (
        "h = x.float() + r.float(); d = h - h.mean(-1, keepdim=True); "
        "return (d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)",
        "RIGHT",
    ),
    "squares of the sum less the square of the mean": (
        "h = x.float() + r.float(); m = h.mean(-1, keepdim=True); v = ((h * h).mean(-1, keepdim=True) - m * m).clamp(min=0); "
        "return ((h - m) * torch.rsqrt(v + 1e-5)).to(x.dtype)",
        "",
    ),
    "a sum rounded to sixteen bits": (
        "h = (x + r).float(); d = h - h.mean(-1, keepdim=True); "
        "return (d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)",
        "",
    ),
}


@pytest.mark.parametrize(("body", "answer"), BODIES.values(), ids=BODIES.keys())
def test_one_input_alone_is_far_from_zero(tmp_path, body, answer):
    (tmp_path / "problem.py").write_text(PROBLEM, encoding="utf-8")
    (tmp_path / "solution.py").write_text(SOLUTION.format(body=body), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert (found.answer == "RIGHT") is (answer == "RIGHT"), found


def test_what_has_no_spread_or_no_room_is_not_shifted():
    x = torch.randn(100)
    away = shifted(x, FAR_MEAN)
    assert away is not None and abs(float((away - x).mean()) / (FAR_MEAN * float(x.std(correction=0))) - 1) < 1e-3
    assert shifted(torch.ones(5), FAR_MEAN) is None and shifted((100 * x).half(), FAR_MEAN) is None
    assert shifted(torch.tensor([1.0, float("inf")]), FAR_MEAN) is None
