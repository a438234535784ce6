import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _table(pos, dim, base, dtype):
    half = dim // 2
    inv = base ** (-torch.arange(half, dtype=torch.float64, device=pos.device) / half)
    ang = pos.to(torch.float64).unsqueeze(1).unsqueeze(-1) * inv
    return ang.cos().to(dtype), ang.sin().to(dtype)


BLOCK_T = 16


class ModelNew(nn.Module):
    def __init__(self, head_dim, eps=1e-6, base=10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.eps = eps
        self.base = base
        self.weight = nn.Parameter(torch.ones(head_dim))

    def forward(self, x, pos):
        B, H, T, D = x.shape
        h = D // 2
        wl, wh = self.weight[:h], self.weight[h:]
        tiles = []
        for t0 in range(0, T, BLOCK_T):
            xt = x[:, :, t0:t0 + BLOCK_T]
            cos, sin = _table(pos[:, t0:t0 + BLOCK_T], D, self.base, x.dtype)
            # the scale is common to the vector, so it can be applied after the rotation
            lo, hi = xt[..., :h] * wl, xt[..., h:] * wh
            ssq = (xt[..., :h] ** 2).sum(-1, keepdim=True) + (xt[..., h:] ** 2).sum(-1, keepdim=True)
            r = 1.0 / torch.sqrt(ssq / D + self.eps)
            tiles.append(torch.cat([r * (lo * cos - hi * sin), r * (hi * cos + lo * sin)], -1))
        return torch.cat(tiles, dim=2)
