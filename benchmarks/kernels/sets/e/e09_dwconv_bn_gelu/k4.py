import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _conv_fwd(x, w, b, dil, pad, y):
    N, C, L = x.shape
    K = w.shape[1]
    Lo = y.shape[2]
    for nc in prange(N * C):
        n = nc // C
        c = nc % C
        for i in range(Lo):
            a = float(b[c])
            for k in range(K):
                p = i + k * dil - pad
                if p >= 0 and p < L:
                    a += float(x[n, c, p]) * float(w[c, k])
            y[n, c, i] = a


@njit(parallel=True)
def _conv_bwd(x, w, dil, pad, g, gx, gw, gb):
    N, C, L = x.shape
    K = w.shape[1]
    Lo = g.shape[2]
    for c in prange(C):
        for n in range(N):
            for i in range(Lo):
                v = g[n, c, i]
                gb[c] += v
                for k in range(K):
                    p = i + k * dil - pad
                    if p >= 0 and p < L:
                        gx[n, c, p] += v * w[c, k]
                        gw[c, k] += v * x[n, c, p]


class _DW(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, dil, pad):
        xc = x.detach().contiguous()
        N, C, L = xc.shape
        K = w.shape[2]
        y = torch.empty(N, C, L + 2 * pad - dil * (K - 1))
        _conv_fwd(xc.numpy(), w.detach()[:, 0].numpy(), b.detach().numpy(), dil, pad, y.numpy())
        ctx.save_for_backward(xc, w)
        ctx.cfg = (dil, pad)
        return y

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dil, pad = ctx.cfg
        gx = torch.zeros(x.shape, dtype=torch.float64)
        gw = torch.zeros(w.shape[0], w.shape[2], dtype=torch.float64)
        gb = torch.zeros(w.shape[0], dtype=torch.float64)
        _conv_bwd(x.numpy(), w.detach()[:, 0].numpy(), dil, pad, g.contiguous().numpy(),
                  gx.numpy(), gw.numpy(), gb.numpy())
        return gx.to(x.dtype), gw[:, None].to(w.dtype), gb.to(w.dtype), None, None


class ModelNew(nn.Module):
    def __init__(self, channels, kernel, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel, dilation=dilation,
                              padding=dilation * (kernel - 1) // 2, groups=channels)
        self.bn = nn.BatchNorm1d(channels)
        self.k = kernel
        self.dil = dilation
        self.pad = dilation * (kernel - 1) // 2

    def forward(self, x):
        y = _DW.apply(x, self.conv.weight, self.conv.bias, self.dil, self.pad)
        bn = self.bn
        if self.training:
            var, mean = (t.to(y.dtype) for t in torch.var_mean(y.double(), (0, 2), unbiased=False))
            n = y.shape[0] * y.shape[2]
            with torch.no_grad():
                bn.num_batches_tracked += 1
                bn.running_mean += bn.momentum * (mean - bn.running_mean)
                bn.running_var += bn.momentum * (var * n / (n - 1) - bn.running_var)
        else:
            mean, var = bn.running_mean, bn.running_var
        z = (y - mean[:, None]) / torch.sqrt(var + bn.eps)[:, None] * bn.weight[:, None] + bn.bias[:, None]
        return torch.nn.functional.gelu(z)
