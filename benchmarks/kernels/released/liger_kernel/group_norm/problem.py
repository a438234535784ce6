"""Group normalization."""

import torch
from torch import nn

BATCH, CHANNELS, GROUPS, LENGTH = 4, 12, 3, 50


class Model(nn.Module):
    def __init__(self, channels, groups, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.groups, self.eps = groups, eps

    def forward(self, x):
        return nn.functional.group_norm(x, self.groups, self.weight, self.bias, self.eps)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [CHANNELS, GROUPS]
