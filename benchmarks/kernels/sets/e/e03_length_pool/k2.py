import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _pool(x, lengths, out, ties):
    B, T, D = x.shape
    for b in prange(B):
        n = lengths[b]
        for d in range(D):
            if n == 0:
                out[b, d] = 0.0
                out[b, D + d] = 0.0
                ties[b, d] = 1
                continue
            s = 0.0
            m = x[b, 0, d]
            c = 0
            for t in range(n):
                v = x[b, t, d]
                s += v
                if v > m:
                    m = v
                    c = 1
                elif v == m:
                    c += 1
            out[b, d] = s / n
            out[b, D + d] = m
            ties[b, d] = c


@njit
def _pool_bwd(x, lengths, out, ties, g, gx):
    B, T, D = x.shape
    for b in range(B):
        n = lengths[b]
        for t in range(n):
            for d in range(D):
                v = g[b, d] / n
                if x[b, t, d] == out[b, D + d]:
                    v += g[b, D + d] / ties[b, d]
                gx[b, t, d] = v


class _Pool(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lengths):
        xc = x.detach().contiguous()
        B, T, D = xc.shape
        out = torch.empty(B, 2 * D)
        ties = torch.empty(B, D, dtype=torch.int64)
        ln = lengths.contiguous()
        _pool(xc.numpy(), ln.numpy(), out.numpy(), ties.numpy())
        ctx.save_for_backward(xc, ln, out, ties)
        return out

    @staticmethod
    def backward(ctx, g):
        x, ln, out, ties = ctx.saved_tensors
        gx = torch.zeros_like(x)
        _pool_bwd(x.numpy(), ln.numpy(), out.numpy(), ties.numpy(), g.detach().contiguous().numpy(), gx.numpy())
        return gx, None


class ModelNew(nn.Module):
    def __init__(self, dim, out_dim):
        super().__init__()
        self.proj = nn.Linear(2 * dim, out_dim)

    def forward(self, x, lengths):
        return self.proj(_Pool.apply(x, lengths))
