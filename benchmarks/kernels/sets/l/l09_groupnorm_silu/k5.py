import torch
import torch.nn as nn
import torch.nn.functional as F


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, G, eps):
        N, C = x.shape[:2]
        d = x.double().reshape(N, G, -1)
        mean = d.mean(-1)
        rstd = (d.var(-1, unbiased=False) + eps).rsqrt()
        z = ((d - mean[..., None]) * rstd[..., None]).reshape(N, C, -1) * w[:, None] + b[:, None]
        ctx.save_for_backward(x, w, b, mean, rstd)
        return (z / (1 + torch.exp(-z))).to(x.dtype).reshape(x.shape)

    @staticmethod
    def backward(ctx, dy):
        x, w, b, mean, rstd = ctx.saved_tensors
        N, C = x.shape[:2]
        G = mean.shape[1]
        xg = (x.double().reshape(N, G, -1) - mean[..., None]) * rstd[..., None]
        xc = xg.reshape(N, C, -1)
        z = xc * w[:, None] + b[:, None]
        s = torch.sigmoid(z)
        dz = dy.double().reshape(N, C, -1) * s * (1 + z * (1 - s))
        dg = (dz * w[:, None]).reshape(N, G, -1)
        dx = rstd[..., None] * (dg - dg.mean(-1, keepdim=True) - xg * (dg * xg).mean(-1, keepdim=True))
        return dx.to(x.dtype).reshape(x.shape), (dz * xc).sum((0, 2)).to(w.dtype), dz.sum((0, 2)).to(b.dtype), None, None


_gn_silu = _Fn.apply


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    def forward(self, x):
        return _gn_silu(x, self.norm.weight, self.norm.bias, self.norm.num_groups, self.norm.eps)
