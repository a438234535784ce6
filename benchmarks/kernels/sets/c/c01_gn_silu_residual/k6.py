import torch
import torch.nn as nn


class _GNSiLURes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, scale, groups, eps):
        n, c = x.shape[:2]
        xr = x.reshape(n, groups, -1)
        mu = xr.mean(-1, keepdim=True)
        xc = xr - mu
        inv = (xc.square().mean(-1, keepdim=True) + eps).rsqrt()
        xhat = (xc * inv).reshape(x.shape)
        w, b, s = (p.view(1, c, 1, 1) for p in (weight, bias, scale))
        z = xhat * w + b
        ctx.save_for_backward(xhat, inv, weight, bias, scale)
        ctx.groups = groups
        return x + s * z * torch.sigmoid(z)

    @staticmethod
    def backward(ctx, go):
        xhat, inv, weight, bias, scale = ctx.saved_tensors
        n, c = xhat.shape[:2]
        w, b, s = (p.view(1, c, 1, 1) for p in (weight, bias, scale))
        z = xhat * w + b
        sg = torch.sigmoid(z)
        dscale = (go * z * sg).sum((0, 2, 3))
        dz = go * s * sg * (1 + z * (1 - sg))
        dw = (dz * xhat).sum((0, 2, 3))
        db = dz.sum((0, 2, 3))
        dxh = (dz * w).reshape(n, ctx.groups, -1)
        xh = xhat.reshape(n, ctx.groups, -1)
        dx = inv * (dxh - dxh.mean(-1, keepdim=True) - xh * (dxh * xh).mean(-1, keepdim=True))
        return go + dx.reshape(go.shape), dw, db, dscale, None, None


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.layer_scale = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        return _GNSiLURes.apply(x, self.norm.weight, self.norm.bias, self.layer_scale,
                                self.norm.num_groups, self.norm.eps)
