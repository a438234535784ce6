import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def add_layernorm(x, r, w, b, eps, out):
    n, d = x.shape
    inv_d = np.float32(1.0 / d)
    for i in prange(n):
        s = np.float32(0.0)
        q = np.float32(0.0)
        # single sweep: sum and sum of squares together
        for j in range(d):
            h = x[i, j] + r[i, j]
            s += h
            q += h * h
        mean = s * inv_d
        var = max(q * inv_d - mean * mean, np.float32(0.0))
        rstd = np.float32(1.0) / np.sqrt(var + np.float32(eps))
        for j in range(d):
            out[i, j] = (x[i, j] + r[i, j] - mean) * rstd * w[j] + b[j]


class ModelNew(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x, residual):
        xn = x.detach().numpy().reshape(-1, self.dim)
        rn = residual.detach().numpy().reshape(-1, self.dim)
        out = np.empty(xn.shape, xn.dtype)
        add_layernorm(xn, rn, self.weight.detach().numpy(), self.bias.detach().numpy(), self.eps, out)
        return torch.from_numpy(out).view(x.shape)
