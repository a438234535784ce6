"""Rotary embedding."""

import torch
from torch import nn

BATCH, LENGTH, HEADS, WIDTH = 2, 15, 4, 16


def turns():
    angles = torch.outer(torch.arange(LENGTH).float(), 10000.0 ** (-torch.arange(0, WIDTH, 2).float() / WIDTH))
    return angles.cos(), angles.sin()


class Model(nn.Module):
    def forward(self, x, cos, sin):
        left, right = x.chunk(2, -1)
        cos, sin = cos.detach()[:, None], sin.detach()[:, None]
        return torch.cat((left * cos - right * sin, right * cos + left * sin), -1)


def get_inputs():
    return [torch.randn(BATCH, LENGTH, HEADS, WIDTH), *turns()]


def get_init_inputs():
    return []
