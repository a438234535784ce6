"""Rows by their length."""

import torch
from torch import nn

ROWS, HIDDEN = 24, 200


class Model(nn.Module):
    def forward(self, x):
        return x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6)


def get_inputs():
    return [torch.randn(ROWS, HIDDEN)]


def get_init_inputs():
    return []
