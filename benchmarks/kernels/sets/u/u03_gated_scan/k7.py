import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Sequential scan, state kept next to y."""

    def __init__(self, dim, c):
        super().__init__()
        self.c = c
        self.lam = nn.Parameter(torch.linspace(-6.0, -3.0, dim))

    def forward(self, x, gate, reset, h0):
        la = -self.c * F.softplus(self.lam) * torch.sigmoid(gate)
        r = reset[..., None]
        a = torch.exp(la).masked_fill(r, 0.0)
        m = torch.sqrt(-torch.expm1(2 * la)).masked_fill(r, 1.0)
        y = torch.empty_like(x)
        h = h0
        for t in range(x.shape[1]):
            y[:, t] = a[:, t] * h + m[:, t] * x[:, t].float()
            h = y[:, t].float()
        return y, h
