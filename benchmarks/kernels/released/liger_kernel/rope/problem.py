"""Rotary embedding of queries and keys."""

import torch
from torch import nn

BATCH, HEADS, SHARED, LENGTH, WIDTH = 2, 4, 2, 15, 16


def get_inputs():
    angles = torch.outer(torch.arange(LENGTH).float(), 10000.0 ** (-torch.arange(0, WIDTH, 2).float() / WIDTH))
    angles = torch.cat((angles, angles), -1)[None]
    return [torch.randn(BATCH, HEADS, LENGTH, WIDTH), torch.randn(BATCH, SHARED, LENGTH, WIDTH), angles.cos(), angles.sin()]


def get_init_inputs():
    return []


def turned(x):
    left, right = x.chunk(2, -1)
    return torch.cat((-right, left), -1)


class Model(nn.Module):
    def forward(self, q, k, cos, sin):
        cos, sin = cos.detach().unsqueeze(1), sin.detach().unsqueeze(1)
        return q * cos + turned(q) * sin, k * cos + turned(k) * sin
