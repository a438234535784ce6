import torch
import torch.nn as nn


class _FusedNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, skip, w, b, eps):
        var, mean = torch.var_mean(x, dim=(2, 3), unbiased=False, keepdim=True)
        rstd = torch.rsqrt(var + eps)
        xh = (x - mean) * rstd
        y = torch.clamp(xh * w.view(1, -1, 1, 1) + b.view(1, -1, 1, 1) + skip, 0, 6)
        ctx.save_for_backward(xh, w, rstd, y)
        return y

    @staticmethod
    def backward(ctx, g):
        xh, w, rstd, y = ctx.saved_tensors
        g = g * (y > 0).to(g.dtype)
        gb = g.sum((0, 2, 3))
        gw = (g * xh).sum((0, 2, 3))
        gm = g.mean((2, 3), keepdim=True)
        gx = (g * xh).mean((2, 3), keepdim=True)
        dx = (g - gm - xh * gx) * (rstd * w.view(1, -1, 1, 1))
        return dx, g, gw, gb, None


class ModelNew(nn.Module):
    def __init__(self, channels, eps):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, eps=eps, affine=True)
        self.eps = eps

    def forward(self, x, skip):
        return _FusedNorm.apply(x, skip, self.norm.weight, self.norm.bias, self.eps)
