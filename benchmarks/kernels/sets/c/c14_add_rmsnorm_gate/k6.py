import torch
import torch.nn as nn


class _FusedAddNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, r, g, w, eps):
        h = x + r
        rstd = torch.rsqrt(h.square().mean(-1, keepdim=True) + eps)
        act = g * torch.sigmoid(g)
        ctx.save_for_backward(h, rstd, g, w)
        return h * rstd * w * act, h

    @staticmethod
    def backward(ctx, gy, _):
        h, rstd, g, w = ctx.saved_tensors
        s = torch.sigmoid(g)
        xh = h * rstd
        gg = gy * xh * w * (s + g * s * (1 - s))
        wg = gy * g * s
        gw = (wg * xh).flatten(0, -2).sum(0)
        wg = wg * w
        gx = rstd * (wg - xh * (wg * xh).mean(-1, keepdim=True))
        return gx, gx, gg, gw, None


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, residual, gate):
        return _FusedAddNorm.apply(x, residual, gate, self.weight, self.eps)
