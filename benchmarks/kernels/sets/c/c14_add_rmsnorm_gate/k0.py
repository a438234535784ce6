import torch
import torch.nn as nn

TILE = 128


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual, gate):
        d = x.shape[-1]
        h = torch.empty(x.shape, dtype=x.dtype)
        ss = torch.zeros(x.shape[:-1] + (1,), dtype=x.dtype)
        for c in range(0, d, TILE):
            t = x[..., c:c + TILE] + residual[..., c:c + TILE]
            h[..., c:c + TILE] = t
            ss += (t * t).sum(-1, keepdim=True)
        inv = torch.rsqrt(ss / d + self.eps)
        y = torch.empty(x.shape, dtype=x.dtype)
        for c in range(0, d, TILE):
            g = gate[..., c:c + TILE]
            y[..., c:c + TILE] = h[..., c:c + TILE] * inv * self.weight[c:c + TILE] * (g / (1 + torch.exp(-g)))
        return y, h
