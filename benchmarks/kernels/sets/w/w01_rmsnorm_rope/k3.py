import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _table(pos, dim, base, dtype):
    half = dim // 2
    inv = base ** (-torch.arange(half, dtype=torch.float64, device=pos.device) / half)
    ang = pos.to(torch.float64).unsqueeze(1).unsqueeze(-1) * inv
    return ang.cos().to(dtype), ang.sin().to(dtype)


class _NormRope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, cos, sin, eps):
        h = x.shape[-1] // 2
        rstd = torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)
        n = x * rstd
        y = n * w
        a, b = y[..., :h], y[..., h:]
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        out[..., :h] = a * cos - b * sin
        out[..., h:] = b * cos + a * sin
        ctx.save_for_backward(n, rstd, w, cos, sin)
        return out

    @staticmethod
    def backward(ctx, g):
        n, rstd, w, cos, sin = ctx.saved_tensors
        h = g.shape[-1] // 2
        ga, gb = g[..., :h], g[..., h:]
        gy = torch.cat([ga * cos + gb * sin, gb * cos - ga * sin], -1)
        gw = (gy * n).sum(dim=(0, 1, 2))
        gn = gy * w
        gx = rstd * (gn - n * (gn * n).mean(-1, keepdim=True))
        return gx, gw, None, None, None


class ModelNew(nn.Module):
    def __init__(self, head_dim, eps=1e-6, base=10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.eps = eps
        self.base = base
        self.weight = nn.Parameter(torch.ones(head_dim))

    def forward(self, x, pos):
        cos, sin = _table(pos, self.head_dim, self.base, x.dtype)
        return _NormRope.apply(x, self.weight, cos, sin, self.eps)
