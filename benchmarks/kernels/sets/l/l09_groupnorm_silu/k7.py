import torch
import torch.nn as nn
import torch.nn.functional as F


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, G, eps):
        N, C = x.shape[:2]
        g = x.reshape(N, G, -1)
        var, mean = torch.var_mean(g, -1, correction=0, keepdim=True)
        rstd = torch.rsqrt(var + eps)
        xh = ((g - mean) * rstd).reshape(N, C, -1)
        z = xh * w[:, None] + b[:, None]
        ctx.save_for_backward(xh, z, w, rstd)
        ctx.G = G
        return F.silu(z).reshape(x.shape)

    @staticmethod
    def backward(ctx, dy):
        xh, z, w, rstd = ctx.saved_tensors
        N, C = xh.shape[:2]
        s = torch.sigmoid(z)
        dz = dy.reshape(N, C, -1) * (s + z * s * (1 - s))
        dxh = (dz * w[:, None]).reshape(N, ctx.G, -1)
        dx = (dxh - dxh.mean(-1, keepdim=True)) * rstd
        return dx.reshape(dy.shape), (dz * xh).sum((0, 2)), dz.sum((0, 2)), None, None


_gn_silu = _Fn.apply


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    def forward(self, x):
        return _gn_silu(x, self.norm.weight, self.norm.bias, self.norm.num_groups, self.norm.eps)
