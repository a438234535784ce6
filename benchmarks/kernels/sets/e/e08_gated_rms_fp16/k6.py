import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _fwd(x, g, w, eps, y):
    R, D = x.shape
    for r in prange(R):
        ss = 0.0
        for d in range(D):
            ss += float(x[r, d]) * float(x[r, d])
        rs = 1.0 / (math.sqrt(ss / D) + eps)
        for d in range(D):
            gv = float(g[r, d])
            y[r, d] = x[r, d] * rs * w[d] * (gv / (1.0 + math.exp(-gv)))


@njit
def _bwd(x, g, w, eps, go, dx, dg, dw):
    R, D = x.shape
    for r in range(R):
        ss = 0.0
        for d in range(D):
            ss += float(x[r, d]) * float(x[r, d])
        rs = 1.0 / (math.sqrt(ss / D) + eps)
        dot = 0.0
        for d in range(D):
            gv = float(g[r, d])
            s = 1.0 / (1.0 + math.exp(-gv))
            xh = x[r, d] * rs
            dg[r, d] = go[r, d] * xh * w[d] * s * (1.0 + gv * (1.0 - s))
            t = go[r, d] * gv * s
            dw[d] += t * xh
            dot += t * w[d] * xh
        dot /= D
        for d in range(D):
            gv = float(g[r, d])
            s = 1.0 / (1.0 + math.exp(-gv))
            dx[r, d] = rs * (go[r, d] * gv * s * w[d] - x[r, d] * rs * dot)


def _np(t, D):
    return t.detach().float().contiguous().view(-1, D).numpy()


class _Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gate, w, eps):
        D = x.shape[-1]
        y = torch.empty(x.numel() // D, D)
        _fwd(_np(x, D), _np(gate, D), w.detach().numpy(), eps, y.numpy())
        ctx.save_for_backward(x, gate, w)
        ctx.eps = eps
        return y.view(x.shape).to(x.dtype)

    @staticmethod
    def backward(ctx, go):
        x, gate, w = ctx.saved_tensors
        D = x.shape[-1]
        dx = torch.empty(x.numel() // D, D)
        dg = torch.empty_like(dx)
        dw = torch.zeros(D, dtype=torch.float64)
        _bwd(_np(x, D), _np(gate, D), w.detach().numpy(), ctx.eps, _np(go, D), dx.numpy(), dg.numpy(), dw.numpy())
        return dx.view(x.shape).to(x.dtype), dg.view(x.shape).to(gate.dtype), dw.to(w.dtype), None


class ModelNew(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, gate):
        return _Op.apply(x, gate, self.weight, self.eps)
