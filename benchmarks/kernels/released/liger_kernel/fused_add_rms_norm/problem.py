"""A residual is added, and the sum normalized; both are returned."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))
        self.eps = eps

    def forward(self, x, residual):
        s = x + residual
        return s * torch.rsqrt(s.square().mean(-1, keepdim=True) + self.eps) * self.weight, s


ROWS, HIDDEN = 24, 200


def get_inputs():
    return [torch.randn(ROWS, HIDDEN), torch.randn(ROWS, HIDDEN)]


def get_init_inputs():
    return [HIDDEN]
