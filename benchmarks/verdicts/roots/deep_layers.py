"""One layer of many in less than the declared precision: the whole is within rounding, the layer is not."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import nn

from ..algorithms import randn
from .root import Root

ROOT = Root("deep")


class Coarse(nn.Module):
    """A linear layer in a 16-bit format."""

    def __init__(self, inner, dtype=torch.bfloat16):
        super().__init__()
        self.inner, self.dtype = inner, dtype

    def forward(self, x):
        weight, bias = self.inner.weight.to(self.dtype), self.inner.bias.to(self.dtype)
        return F.linear(x.to(self.dtype), weight, bias).to(x.dtype)


class Blocked(Coarse):
    """A linear layer in two blocks."""

    def forward(self, x):
        half = x.shape[-1] // 2
        return F.linear(x[..., :half], self.inner.weight[:, :half]) + F.linear(x[..., half:], self.inner.weight[:, half:], self.inner.bias)


def _deep(layers, width, wrapped, kind, *, gain=1.0):
    torch.manual_seed(3)
    parts = []
    for _ in range(layers):
        linear = nn.Linear(width, width)
        linear.weight.data *= gain
        parts += [linear, nn.LayerNorm(width), nn.Tanh()]
    expected = nn.Sequential(*parts)
    actual = copy.deepcopy(expected)
    for place in wrapped:
        actual[3 * place] = kind(actual[3 * place])
    return actual, expected


@ROOT.coarse("the fourth of twelve layers in bfloat16")
def m_fourth_of_twelve_layers_in_bfloat16():
    return *_deep(12, 64, [3], Coarse), (randn(16, 64),)


@ROOT.rounding("the fourth of twelve layers in blocks")
def r_fourth_of_twelve_layers_in_blocks():
    return *_deep(12, 64, [3], Blocked), (randn(16, 64),)


@ROOT.coarse("the first of twenty layers that spread errors")
def m_first_of_twenty_layers():
    return *_deep(20, 48, [0], Coarse, gain=3.0), (randn(16, 48),)


@ROOT.rounding("all of twenty layers in blocks")
def r_all_of_twenty_layers_in_blocks():
    return *_deep(20, 48, range(20), Blocked, gain=3.0), (randn(16, 48),)


@ROOT.coarse("a layer of a recurrent chain in float16")
def m_layer_of_a_chain_in_float16():
    return *_deep(30, 32, [10], lambda inner: Coarse(inner, torch.float16), gain=2.0), (randn(8, 32),)
