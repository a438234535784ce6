import torch
import torch.nn as nn


class _F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, skip, w, b, eps):
        xd = x.double()
        var, mean = torch.var_mean(xd, dim=(2, 3), unbiased=False, keepdim=True)
        rstd = (var + eps).rsqrt()
        xh = ((xd - mean) * rstd).float()
        pre = xh * w.view(1, -1, 1, 1) + b.view(1, -1, 1, 1) + skip
        ctx.save_for_backward(xh, w, rstd.float(), (pre > 0) & (pre < 6))
        return pre.clamp_(0, 6)

    @staticmethod
    def backward(ctx, g):
        xh, w, rstd, live = ctx.saved_tensors
        g = torch.where(live, g, torch.zeros_like(g))
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
        return _F.apply(x, skip, self.norm.weight, self.norm.bias, self.eps)
