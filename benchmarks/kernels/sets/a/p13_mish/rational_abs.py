import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """tanh(log(1+e^x)) = (e^2x + 2e^x) / (e^2x + 2e^x + 2), scaled by e^-|x|."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        e = torch.exp(-x.abs())
        e2 = e * e
        pos = (1.0 + 2.0 * e) / (1.0 + 2.0 * e + 2.0 * e2)
        neg = (e2 + 2.0 * e) / (e2 + 2.0 * e + 2.0)
        return x * torch.where(x > 0, pos, neg)
