import torch
import torch.nn as nn
import torch.nn.functional as F

import numpy as np
from numba import njit


@njit
def _scan(x, h0, d, y):
    B, T, C = x.shape
    for b in range(B):
        for c in range(C):
            h = np.float64(h0[b, c])
            a = d[c]
            for t in range(T):
                h = a * h + (1.0 - a) * x[b, t, c]
                y[b, t, c] = h


@njit
def _scan_grad(gy, x, y, h0, d, gx, gh, gd):
    B, T, C = x.shape
    for b in range(B):
        for c in range(C):
            a = d[c]
            g = 0.0
            s = 0.0
            for t in range(T - 1, -1, -1):
                g = a * g + gy[b, t, c]
                gx[b, t, c] = (1.0 - a) * g
                prev = y[b, t - 1, c] if t > 0 else h0[b, c]
                s += g * (np.float64(prev) - x[b, t, c])
            gh[b, c] = a * g
            gd[c] += s


class _EMA(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, h0, logit):
        d = 1.0 / (1.0 + np.exp(-logit.detach().double().numpy()))
        xs = np.ascontiguousarray(x.detach().numpy())
        hs = np.ascontiguousarray(h0.detach().numpy())
        y = np.empty_like(xs)
        _scan(xs, hs, d, y)
        ctx.st = (xs, hs, d, y.copy())
        return torch.from_numpy(y)

    @staticmethod
    def backward(ctx, gy):
        xs, hs, d, y = ctx.st
        gx = np.empty_like(xs)
        gh = np.empty_like(hs)
        gd = np.zeros_like(d)
        _scan_grad(np.ascontiguousarray(gy.numpy()), xs, y, hs, d, gx, gh, gd)
        gl = torch.from_numpy(gd * d * (1 - d)).to(gy.dtype)
        return torch.from_numpy(gx), torch.from_numpy(gh), gl


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.decay_logit = nn.Parameter(torch.linspace(0.5, 3.0, channels))
    def forward(self, x, h0):
        return _EMA.apply(x, h0, self.decay_logit)

