import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.ln = nn.LayerNorm(dim, eps=eps)
        self.eps = eps

    def forward(self, x):
        d = x.shape[-1]
        total = 0
        for c in range(0, d, 2048):
            total = total + x[..., c:c + 2048].sum(-1, keepdim=True)
        centered = x - total / d
        var = 0
        for c in range(0, d, 2048):
            var = var + centered[..., c:c + 2048].square().sum(-1, keepdim=True)
        return centered * torch.rsqrt(var / d + self.eps)
