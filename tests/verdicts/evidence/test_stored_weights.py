"""Weights of `actual` that are those of `expected` in a coarser format are found by comparing them, and confirmed by a run."""

import copy

import pytest
import torch
from torch import nn

import halfulp
from halfulp.verdicts import Verdict

X = torch.randn(4, 3, 16, 16, generator=torch.Generator().manual_seed(0))


def model():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.GELU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 16), nn.Tanh(), nn.Linear(16, 4)
    ).eval()


def rounded(format, which):
    actual = model()
    with torch.no_grad():
        for name, parameter in actual.named_parameters():
            if which in name:
                parameter.copy_(parameter.to(getattr(torch, format)).float())
    return actual


@pytest.mark.parametrize("format", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("which", ["", "4.weight", "bias"])
def test_the_format_is_named(format, which):
    result = halfulp.check(rounded(format, which), model(), (X,))
    assert result.verdict is Verdict.REDUCED_PRECISION
    assert format in result.reason and ("4.weight" in result.reason if which == "4.weight" else True)


def test_a_rounded_weight_beside_a_mistake_is_a_mistake():
    actual = rounded("bfloat16", "4.weight")
    actual[1].eps = 0.1
    assert halfulp.check(actual, model(), (X,)).verdict is Verdict.MISTAKE


def test_other_weights_are_a_mistake():
    actual = copy.deepcopy(model())
    with torch.no_grad():
        actual[4].weight *= 1.001
    assert halfulp.check(actual, model(), (X,)).verdict is Verdict.MISTAKE


def test_a_buffer_in_16_bits_is_named():
    class Rotary(nn.Module):
        def __init__(self, format=torch.float32):
            super().__init__()
            self.register_buffer("frequencies", (1e4 ** (-torch.arange(8) / 8.0)).to(format).float())

        def forward(self, x):
            angle = torch.arange(x.shape[-2])[:, None] * self.frequencies
            return x[..., :8] * angle.cos() - x[..., 8:] * angle.sin()

    result = halfulp.check(Rotary(torch.bfloat16), Rotary(), (X,))
    assert result.verdict is Verdict.REDUCED_PRECISION and "frequencies" in result.reason and "bfloat16" in result.reason
