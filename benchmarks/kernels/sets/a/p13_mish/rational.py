import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One exponential and one division per element."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        e = torch.exp(x)
        n = e * (e + 2.0)
        return x * (n / (n + 2.0))
