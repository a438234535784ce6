import torch
import torch.nn as nn


class Model(nn.Module):
    """Log of the cumulative sum of exponentials along one dimension."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.logcumsumexp(x, dim=self.dim)


B = 8
T = 300
D = 20
DIM = 1


def get_inputs():
    return [torch.randn(B, T, D)]


def get_init_inputs():
    return [DIM]
