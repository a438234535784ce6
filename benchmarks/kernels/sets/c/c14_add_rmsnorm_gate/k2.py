import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, residual, gate):
        residual.add_(x)
        ms = residual.double().square().mean(-1, keepdim=True)
        inv = torch.rsqrt(ms + self.eps).to(x.dtype)
        y = residual * inv
        y = y * self.weight * (gate * torch.sigmoid(gate))
        return y, residual
