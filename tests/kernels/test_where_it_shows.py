"""Changes that show only together: inputs at the ends of their ranges, and constructor arguments that training mode alone has a use for."""

import pytest

from halfulp.kernels.judging import judge_here

SINK = """
import torch
def generate_input(rows: int, size: int, seed: int):
    generator = torch.Generator().manual_seed(seed)
    return tuple(2 * torch.rand(rows, size, generator=generator) - 1 for _ in "qk") + (2 * torch.rand(rows, generator=generator) - 1,)
def {name}(data):
    q, k, sink = data
    wide = (q.double() * k.double()).sum(-1) if "{kind}" == "wide" else (q * k).sum(-1)
    {body}
"""
SAYS = """
description: |
  The weight exp(s) / (exp(s) + exp(sink)), s = q . k, in float32. q, k and sink are between -{most} and {most}.
tests:
  - {{rows: 6, size: 20, seed: 1}}
"""
WEIGHT = "return torch.sigmoid(wide - sink).float()"
BOUNDED = "return 1 / (1 + torch.exp(sink - wide))"
OVER_SINK = "e = torch.exp(wide - sink); return e / (e + 1)"


@pytest.mark.parametrize(("body", "most", "right"), [(BOUNDED, 5, True), (OVER_SINK, 5, False)])
def test_all_inputs_are_at_the_ends_of_their_ranges(tmp_path, body, most, right):
    """Of one input alone near 5, the sum of 20 products stays below 88."""
    (tmp_path / "reference.py").write_text(SINK.format(name="ref_kernel", kind="wide", body=WEIGHT))
    (tmp_path / "task.yml").write_text(SAYS.format(most=most))
    (tmp_path / "solution.py").write_text(SINK.format(name="custom_kernel", kind="", body=body))
    found = judge_here(tmp_path / "reference.py", tmp_path / "solution.py", budget_s=12.0)
    assert (found.answer == "RIGHT") is right, found
    assert right or found.label.startswith("each input near")


NORM = """
import torch
from torch import nn
class {name}(nn.Module):
    def __init__(self, features, momentum=0.1):
        super().__init__()
        self.norm = nn.BatchNorm1d(features, momentum={momentum})
    def forward(self, x):
        {body}
def get_inputs():
    return [torch.randn(16, 8)]
def get_init_inputs():
    return [8]
"""
OWN = """n = self.norm
        mean, var = (x.mean(0), x.var(0, unbiased=False)) if self.training else (n.running_mean, n.running_var)
        if self.training:
            with torch.no_grad():
                n.running_mean.lerp_(x.mean(0), n.momentum)
                n.running_var.lerp_(x.var(0), n.momentum)
                n.num_batches_tracked += 1
        return (x - mean) / torch.sqrt(var + n.eps) * n.weight + n.bias"""


@pytest.mark.parametrize(("momentum", "right"), [("momentum", True), ("0.1", False)])
def test_arguments_of_training_mode_are_asked_there(tmp_path, momentum, right):
    (tmp_path / "problem.py").write_text(NORM.format(name="Model", momentum="momentum", body="return self.norm(x)"))
    (tmp_path / "solution.py").write_text(NORM.format(name="ModelNew", momentum=momentum, body=OWN))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=12.0)
    assert (found.answer == "RIGHT") is right, found
    assert right or found.label == "momentum=0.0125 instead of 0.1, in training mode"
