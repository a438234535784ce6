import torch
from torch import nn


class ModelNew(nn.Module):
    """Squares are added in blocks of 64, and what is left over after them."""

    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        total = torch.zeros(x.shape[0])
        for start in range(0, x.shape[1], 64):
            block = x[:, start : start + 64]
            total = total + (block * block).sum(1)
        return x / torch.sqrt(total / x.shape[1] + self.eps)[:, None] * self.weight
