import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _fwd(x, skip, w, b, eps, out, mean, rstd):
    rows, n = x.shape
    c = w.shape[0]
    for r in prange(rows):
        s1 = np.float32(0.0)
        s2 = np.float32(0.0)
        for i in range(n):
            v = x[r, i]
            s1 += v
            s2 += v * v
        mu = s1 / np.float32(n)
        rs = 1.0 / math.sqrt(max(s2 / np.float32(n) - mu * mu, np.float32(0.0)) + eps)
        mean[r] = mu
        rstd[r] = rs
        g = w[r % c]
        bb = b[r % c]
        for i in range(n):
            y = (x[r, i] - mu) * rs * g + bb + skip[r, i]
            if y < 0.0:
                y = 0.0
            elif y > 6.0:
                y = 6.0
            out[r, i] = y


class _Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, skip, w, b, eps):
        n, c, h, wd = x.shape
        xr = x.detach().contiguous().view(n * c, h * wd)
        sr = skip.detach().contiguous().view(n * c, h * wd)
        out = torch.empty_like(xr)
        mean = np.empty(n * c)
        rstd = np.empty(n * c)
        _fwd(xr.numpy(), sr.numpy(), w.detach().numpy(), b.detach().numpy(), eps, out.numpy(), mean, rstd)
        ctx.save_for_backward(xr, w, out, torch.from_numpy(mean), torch.from_numpy(rstd))
        ctx.shape = x.shape
        return out.view(x.shape)

    @staticmethod
    def backward(ctx, g):
        xr, w, out, mean, rstd = ctx.saved_tensors
        n, c, h, wd = ctx.shape
        gr = g.reshape(n * c, h * wd) * ((out > 0) & (out < 6)).to(g.dtype)
        xh = (xr.double() - mean[:, None]) * rstd[:, None]
        gd = gr.double()
        gw = (gd * xh).sum(1).view(n, c).sum(0)
        gb = gd.sum(1).view(n, c).sum(0)
        t = gd * w.double().repeat(n)[:, None]
        gx = rstd[:, None] * (t - t.mean(1, keepdim=True) - xh * (t * xh).mean(1, keepdim=True))
        return gx.float().view(ctx.shape), gr.view(ctx.shape), gw.float(), gb.float(), None


class ModelNew(nn.Module):
    def __init__(self, channels, eps):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, eps=eps, affine=True)
        self.eps = eps

    def forward(self, x, skip):
        return _Fused.apply(x, skip, self.norm.weight, self.norm.bias, self.eps)
