import torch
import torch.nn as nn


class _LN(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, eps):
        mean = x.mean(-1, keepdim=True)
        c = x - mean
        rstd = torch.rsqrt(c.square().mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(c, rstd, w)
        return c * rstd * w + b

    @staticmethod
    def backward(ctx, g):
        c, rstd, w = ctx.saved_tensors
        xhat = c * rstd
        gx = g * w
        gx = (gx - gx.mean(-1, keepdim=True)) * rstd
        gw = (g * xhat).reshape(-1, w.numel()).sum(0)
        gb = g.reshape(-1, w.numel()).sum(0)
        return gx, gw, gb, None


class ModelNew(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.ln = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        return _LN.apply(x, self.ln.weight, self.ln.bias, self.ln.eps)
