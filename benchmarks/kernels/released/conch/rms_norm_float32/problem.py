"""Rows by their root mean square, times a weight, without gradients."""

import torch
from torch import nn

ROWS, HIDDEN = 24, 200


class Model(nn.Module):
    def forward(self, x, weight):
        with torch.no_grad():
            return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight


def get_inputs():
    return [torch.randn(ROWS, HIDDEN), torch.rand(HIDDEN) + 0.5]


def get_init_inputs():
    return []
