import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _table(pos, dim, base, dtype):
    half = dim // 2
    inv = base ** (-torch.arange(half, dtype=torch.float64, device=pos.device) / half)
    ang = pos.to(torch.float64).unsqueeze(1).unsqueeze(-1) * inv
    return ang.cos().to(dtype), ang.sin().to(dtype)


class ModelNew(nn.Module):
    def __init__(self, head_dim, eps=1e-6, base=10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.eps = eps
        self.base = base
        self.weight = nn.Parameter(torch.ones(head_dim))

    def forward(self, x, pos):
        h = self.head_dim // 2
        cos, sin = _table(pos, self.head_dim, self.base, x.dtype)
        rstd = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        lo, hi = x[..., :h], x[..., h:]
        rot = torch.cat([lo * cos - hi * sin, hi * cos + lo * sin], dim=-1)
        # norm scale and gain commute with the rotation: one multiply at the end
        return rot * (rstd * self.weight)
