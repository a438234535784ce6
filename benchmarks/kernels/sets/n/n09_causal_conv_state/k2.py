import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Windows by unfold, the taps contracted by an einsum."""

    def __init__(self, dim, width, activation=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dim, width) * width ** -0.5)
        self.bias = nn.Parameter(torch.zeros(dim))
        self.activation = activation

    def forward(self, x, state):
        W = self.weight.shape[1]
        full = torch.cat((state, x), dim=2)
        y = torch.einsum("bdlw,dw->bdl", full.unfold(2, W, 1), self.weight) + self.bias[:, None]
        return (F.silu(y) if self.activation else y), full.narrow(2, x.shape[2], W - 1)
