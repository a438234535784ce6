import torch
import torch.nn as nn
import torch.nn.functional as F

import numpy as np
from numba import njit


@njit
def _stats(x, mean, var):
    B, C, T = x.shape
    for c in range(C):
        n = 0
        mu = 0.0
        m2 = 0.0
        for b in range(B):
            for t in range(T):
                n += 1
                v = np.float64(x[b, c, t])
                d = v - mu
                mu += d / n
                m2 += d * (v - mu)
        mean[c] = mu
        var[c] = m2 / n


@njit
def _apply(x, mean, inv, w, bias, out):
    B, C, T = x.shape
    for b in range(B):
        for c in range(C):
            for t in range(T):
                y = (x[b, c, t] - mean[c]) * inv[c] * w[c] + bias[c]
                out[b, c, t] = y / (1.0 + np.exp(-y))


@njit
def _back(g, x, mean, inv, w, bias, train, gx, gw, gb):
    B, C, T = x.shape
    n = B * T
    for c in range(C):
        sb = 0.0
        sw = 0.0
        for b in range(B):
            for t in range(T):
                xh = (x[b, c, t] - mean[c]) * inv[c]
                y = xh * w[c] + bias[c]
                s = 1.0 / (1.0 + np.exp(-y))
                dy = g[b, c, t] * s * (1.0 + y * (1.0 - s))
                sb += dy
                sw += dy * xh
        gb[c] = sb
        gw[c] = sw
        for b in range(B):
            for t in range(T):
                xh = (x[b, c, t] - mean[c]) * inv[c]
                y = xh * w[c] + bias[c]
                s = 1.0 / (1.0 + np.exp(-y))
                dy = g[b, c, t] * s * (1.0 + y * (1.0 - s))
                if train:
                    dy = dy - sb / n - xh * sw / n
                gx[b, c, t] = dy * inv[c] * w[c]


class _BNSiLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, mean, var, eps, train):
        xs = np.ascontiguousarray(x.detach().numpy())
        ws = w.detach().double().numpy()
        bs = b.detach().double().numpy()
        inv = 1.0 / np.sqrt(var + eps)
        out = np.empty_like(xs)
        _apply(xs, mean, inv, ws, bs, out)
        ctx.st = (xs, mean.copy(), inv, ws.copy(), bs.copy(), train)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx, g):
        xs, mean, inv, ws, bs, train = ctx.st
        gx = np.empty_like(xs)
        gw = np.empty_like(ws)
        gb = np.empty_like(bs)
        _back(np.ascontiguousarray(g.numpy()), xs, mean, inv, ws, bs, train, gx, gw, gb)
        return (torch.from_numpy(gx), torch.from_numpy(gw).to(g.dtype),
                torch.from_numpy(gb).to(g.dtype), None, None, None, None)


class ModelNew(nn.Module):
    def __init__(self, features, eps, momentum):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, eps=eps, momentum=momentum)
    def forward(self, x):
        bn = self.bn
        if self.training:
            n = x.shape[0] * x.shape[2]
            mean = np.empty(x.shape[1])
            var = np.empty(x.shape[1])
            _stats(np.ascontiguousarray(x.detach().numpy()), mean, var)
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(torch.from_numpy(mean).to(bn.running_mean.dtype), bn.momentum)
                bn.running_var.lerp_(torch.from_numpy(var * n / (n - 1)).to(bn.running_var.dtype), bn.momentum)
        else:
            mean = bn.running_mean.double().numpy()
            var = bn.running_var.double().numpy()
        return _BNSiLU.apply(x, bn.weight, bn.bias, mean, var, bn.eps, self.training)
