"""PolyNorm: normalized powers of a row, weighed."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.full((3,), 1 / 3))
        self.bias = nn.Parameter(torch.tensor(1.0))
        self.eps = eps

    def forward(self, x):
        powers = [p * torch.rsqrt(p.square().mean(-1, keepdim=True) + self.eps) for p in (x * x * x, x * x, x)]
        return sum(w * p for w, p in zip(self.weight, powers)) + self.bias


ROWS, HIDDEN = 24, 200


def get_inputs():
    return [torch.randn(ROWS, HIDDEN)]


def get_init_inputs():
    return []
