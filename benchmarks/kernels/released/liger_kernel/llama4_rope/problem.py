"""Rotary embedding of neighbouring pairs, as complex numbers."""

import torch
from torch import nn

BATCH, LENGTH, HEADS, SHARED, WIDTH = 2, 15, 4, 2, 16


def get_inputs():
    angles = torch.outer(torch.arange(LENGTH).float(), 10000.0 ** (-torch.arange(0, WIDTH, 2).float() / WIDTH))
    turns = torch.polar(torch.ones_like(angles), angles)[None].expand(BATCH, -1, -1).contiguous()
    return [torch.randn(BATCH, LENGTH, HEADS, WIDTH), torch.randn(BATCH, LENGTH, SHARED, WIDTH), turns]


def get_init_inputs():
    return []


def rotated(x, turns):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns[:, :, None, :]).flatten(3)


class Model(nn.Module):
    def forward(self, q, k, turns):
        return rotated(q, turns.detach()), rotated(k, turns.detach())
