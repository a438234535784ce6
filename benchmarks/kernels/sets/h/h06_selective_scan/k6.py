import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _scan(u, delta, Bm, Cm, alog, D, out):
    nb, L, dim = u.shape
    ns = alog.shape[1]
    for job in prange(nb * dim):
        b = job // dim
        d = job % dim
        h = np.zeros(ns, dtype=np.float64)
        for t in range(L):
            z = np.float64(delta[b, t, d])
            dt = max(z, 0.0) + math.log1p(math.exp(-abs(z)))
            x = dt * u[b, t, d]
            y = D[d] * np.float64(u[b, t, d])
            for n in range(ns):
                h[n] = math.exp(-dt * math.exp(alog[d, n])) * h[n] + x * Bm[b, t, n]
                y += h[n] * Cm[b, t, n]
            out[b, t, d] = y


class ModelNew(nn.Module):
    def __init__(self, dim, state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(dim, 1))
        self.D = nn.Parameter(torch.ones(dim) + 0.1 * torch.randn(dim))

    def forward(self, u, delta, Bm, Cm):
        args = [t.detach().contiguous().numpy() for t in (u, delta, Bm, Cm, self.A_log, self.D)]
        out = np.empty_like(args[0])
        _scan(*args, out)
        return torch.from_numpy(out)
