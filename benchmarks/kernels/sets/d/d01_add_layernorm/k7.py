import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange

ROWS_PER_TASK = 8


@njit(parallel=True, fastmath={"reassoc", "contract"})
def _blocked(x, r, w, b, eps, out):
    n, d = x.shape
    nblk = (n + ROWS_PER_TASK - 1) // ROWS_PER_TASK
    for blk in prange(nblk):
        h = np.empty(d, x.dtype)
        lo = blk * ROWS_PER_TASK
        hi = min(lo + ROWS_PER_TASK, n)
        for i in range(lo, hi):
            s = 0.0
            for j in range(d):
                v = x[i, j] + r[i, j]
                h[j] = v
                s += np.float64(v)
            mean = s / d
            q = 0.0
            for j in range(d):
                t = np.float64(h[j]) - mean
                q += t * t
            rstd = 1.0 / np.sqrt(q / d + eps)
            for j in range(d):
                out[i, j] = (np.float64(h[j]) - mean) * rstd * w[j] + b[j]


class ModelNew(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x, residual):
        xn = x.detach().reshape(-1, self.dim).numpy()
        rn = residual.detach().reshape(-1, self.dim).numpy()
        out = torch.empty(xn.shape, dtype=x.dtype)
        _blocked(xn, rn, self.weight.detach().numpy(), self.bias.detach().numpy(), self.eps, out.numpy())
        return out.reshape(x.shape)
