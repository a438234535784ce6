import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = 1e-5

    def forward(self, x, residual, gate):
        d = x.shape[-1]
        h = x + residual
        inv = torch.rsqrt(torch.einsum("btd,btd->bt", h, h) / d + self.eps)
        y = torch.einsum("btd,bt,d->btd", h, inv, self.weight)
        return y * gate * torch.sigmoid(gate), h
