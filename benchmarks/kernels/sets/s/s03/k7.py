import numba
import numpy as np
import torch
import torch.nn as nn


@numba.njit
def _run(log_a, x, h0, h, hp):
    B, T, D = x.shape
    for b in range(B):
        for d in range(D):
            s = np.float64(h0[b, d])
            for t in range(T):
                la = np.float64(log_a[b, t, d])
                hp[b, t, d] = s
                s = np.exp(la) * s + np.sqrt(-np.expm1(2.0 * la)) * x[b, t, d]
                h[b, t, d] = s


@numba.njit
def _run_bwd(log_a, x, hp, g, gx, gl, g0):
    B, T, D = x.shape
    for b in range(B):
        for d in range(D):
            c = 0.0
            for t in range(T - 1, -1, -1):
                c += g[b, t, d]
                la = np.float64(log_a[b, t, d])
                a = np.exp(la)
                beta = np.sqrt(-np.expm1(2.0 * la))
                gx[b, t, d] = c * beta
                gl[b, t, d] = c * (a * hp[b, t, d] - a * a / beta * x[b, t, d])
                c *= a
            g0[b, d] = c


class _Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, log_a, h0):
        xn, ln, hn = (t.detach().cpu().contiguous().numpy() for t in (x, log_a, h0))
        h = np.empty(xn.shape, np.float64)
        hp = np.empty(xn.shape, np.float64)
        _run(ln, xn, hn, h, hp)
        ctx.save_for_backward(x, log_a)
        ctx.hp = hp
        return torch.from_numpy(h).to(x)

    @staticmethod
    def backward(ctx, g):
        x, log_a = ctx.saved_tensors
        xn, ln = (t.detach().cpu().contiguous().numpy() for t in (x, log_a))
        gn = g.detach().cpu().double().contiguous().numpy()
        gx, gl = np.empty(xn.shape, np.float64), np.empty(xn.shape, np.float64)
        g0 = np.empty((xn.shape[0], xn.shape[2]), np.float64)
        _run_bwd(ln, xn, ctx.hp, gn, gx, gl, g0)
        return tuple(torch.from_numpy(t).to(x) for t in (gx, gl, g0))


class ModelNew(nn.Module):
    """numba scan in double precision with an explicit adjoint."""

    def __init__(self):
        super().__init__()

    def forward(self, x, log_a, h0):
        h = _Scan.apply(x, log_a, h0)
        return h, h[:, -1]
