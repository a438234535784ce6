import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _add_ln(x, r, w, b, eps, h, out):
    n, d = x.shape
    for i in prange(n):
        s = 0.0
        for j in range(d):
            h[j] = x[i, j] + r[i, j]
            s += h[j]
        mean = s / d
        q = 0.0
        for j in range(d):
            t = h[j] - mean
            q += t * t
        rstd = 1.0 / np.sqrt(q / d + eps)
        for j in range(d):
            out[i, j] = (h[j] - mean) * rstd * w[j] + b[j]


class ModelNew(nn.Module):
    """The sum x + residual is kept in a row buffer so that it is formed once."""

    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x, residual):
        xn = x.detach().contiguous().view(-1, self.dim).numpy()
        rn = residual.detach().contiguous().view(-1, self.dim).numpy()
        h = np.empty(self.dim, xn.dtype)
        out = np.empty_like(xn)
        _add_ln(xn, rn, self.weight.detach().numpy(), self.bias.detach().numpy(), self.eps, h, out)
        return torch.from_numpy(out).view(x.shape)
