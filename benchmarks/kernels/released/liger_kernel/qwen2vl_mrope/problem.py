"""Rotary embedding with parts of each head turned by time, height and width."""

import torch
from torch import nn

BATCH, HEADS, SHARED, LENGTH, WIDTH = 2, 4, 2, 15, 16
PARTS = (4, 2, 2)


def get_inputs():
    places = torch.randint(0, 50, (3, BATCH, LENGTH)).float()
    angles = places[..., None] * 10000.0 ** (-torch.arange(0, WIDTH, 2).float() / WIDTH)
    angles = torch.cat((angles, angles), -1)
    return [torch.randn(BATCH, HEADS, LENGTH, WIDTH), torch.randn(BATCH, SHARED, LENGTH, WIDTH), angles.cos(), angles.sin()]


def get_init_inputs():
    return []


def turned(x):
    left, right = x.chunk(2, -1)
    return torch.cat((-right, left), -1)


def mixed(x):
    return torch.cat([part[number % 3] for number, part in enumerate(x.split(PARTS * 2, dim=-1))], -1).unsqueeze(1)


class Model(nn.Module):
    def forward(self, q, k, cos, sin):
        cos, sin = mixed(cos.detach()), mixed(sin.detach())
        return q * cos + turned(q) * sin, k * cos + turned(k) * sin
