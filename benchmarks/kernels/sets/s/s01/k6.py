import torch
import torch.nn as nn


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, z, w, groups, eps, pre):
        xf, zf = x.float(), z.float()
        sg = torch.sigmoid(zf)
        gate = zf * sg
        h = xf if pre else xf * gate
        hg = h.unflatten(-1, (groups, -1))
        r = torch.rsqrt(hg.square().mean(-1, keepdim=True) + eps)
        n = (hg * r).flatten(-2)
        y = n * w
        if pre:
            y = y * gate
        ctx.save_for_backward(xf, zf, w, r)
        ctx.groups, ctx.pre, ctx.dt = groups, pre, x.dtype
        return y.to(x.dtype)

    @staticmethod
    def backward(ctx, gy):
        xf, zf, w, r = ctx.saved_tensors
        g = gy.float()
        sg = torch.sigmoid(zf)
        gate = zf * sg
        dgate = sg * (1 + zf * (1 - sg))
        h = xf if ctx.pre else xf * gate
        n = (h.unflatten(-1, (ctx.groups, -1)) * r).flatten(-2)
        if ctx.pre:
            gz = g * n * w * dgate
            g = g * gate
        gw = (g * n).reshape(-1, w.numel()).sum(0)
        gn = (g * w).unflatten(-1, (ctx.groups, -1))
        hn = n.unflatten(-1, (ctx.groups, -1))
        gh = (r * (gn - hn * (gn * hn).mean(-1, keepdim=True))).flatten(-2)
        if ctx.pre:
            gx = gh
        else:
            gx = gh * gate
            gz = gh * xf * dgate
        return gx.to(ctx.dt), gz.to(ctx.dt), gw, None, None, None


class ModelNew(nn.Module):
    """Hand-written backward; saves the reciprocal rms and recomputes the rest."""

    def __init__(self, d_inner, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate
        self.weight = nn.Parameter(torch.ones(d_inner))

    def forward(self, x, z):
        return _Fn.apply(x, z, self.weight, self.n_groups, self.eps, self.norm_before_gate)
