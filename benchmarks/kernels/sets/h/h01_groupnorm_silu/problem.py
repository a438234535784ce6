import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """GroupNorm over (N, C, *spatial) followed by SiLU."""

    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.groups = groups
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.2 * torch.randn(channels))
        self.bias = nn.Parameter(0.1 * torch.randn(channels))

    def forward(self, x):
        y = F.group_norm(x, self.groups, self.weight, self.bias, self.eps)
        return y * torch.sigmoid(y)


batch = 4
channels = 48
groups = 12
height = 15
width = 13


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [groups, channels]
