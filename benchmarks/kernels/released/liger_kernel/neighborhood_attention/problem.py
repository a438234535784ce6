"""Attention of each query to the keys next to it."""

import torch
from torch import nn

BATCH, HEADS, LENGTH, WIDTH = 2, 2, 24, 16


def qkv():
    return torch.randn(BATCH, HEADS, LENGTH, WIDTH)


class Model(nn.Module):
    def forward(self, q, k, v):
        places = torch.arange(q.shape[2])
        near = (places[:, None] - places[None]).abs() <= 3
        scores = (q @ k.transpose(-1, -2)) / q.shape[-1] ** 0.5
        return scores.masked_fill(~near, -torch.inf).softmax(-1) @ v


def get_inputs():
    return [qkv(), qkv(), qkv()]


def get_init_inputs():
    return []
