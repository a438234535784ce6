import torch
import torch.nn as nn


class _LN(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, eps):
        d = x - x.mean(-1, keepdim=True)
        d = d - d.mean(-1, keepdim=True)
        rstd = torch.rsqrt(d.square().mean(-1, keepdim=True) + eps)
        xhat = d * rstd
        ctx.save_for_backward(xhat, rstd, w)
        return xhat * w + b

    @staticmethod
    def backward(ctx, g):
        xhat, rstd, w = ctx.saved_tensors
        gw = (g * xhat).reshape(-1, w.numel()).sum(0)
        gb = g.reshape(-1, w.numel()).sum(0)
        gx = g * w
        c1 = gx.mean(-1, keepdim=True)
        c2 = (gx * xhat).mean(-1, keepdim=True)
        return (gx - c1 - xhat * c2) * rstd, gw, gb, None


class ModelNew(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.ln = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        return _LN.apply(x, self.ln.weight, self.ln.bias, self.ln.eps)
