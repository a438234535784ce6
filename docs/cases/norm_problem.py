import torch
from torch import nn

rows = 32


class Model(nn.Module):
    """A row divided by its root mean square, times a weight."""

    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def get_inputs():
    return [torch.randn(rows, 256)]


def get_init_inputs():
    return [256]
