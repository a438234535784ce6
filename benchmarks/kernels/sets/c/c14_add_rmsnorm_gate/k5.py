import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, residual, gate):
        h = x + residual
        inv = torch.rsqrt(h.double().square().mean(-1, keepdim=True) + self.eps).to(h.dtype)
        half = 0.5 * gate
        act = half + half * torch.tanh(half)        # one hardware tanh instead of exp and divide
        return h * inv * self.weight * act, h
