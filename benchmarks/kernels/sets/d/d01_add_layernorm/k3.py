import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _add_ln(x, r, w, b, eps, out):
    n, d = x.shape
    for i in prange(n):
        s = 0.0
        for j in range(d):
            s += x[i, j] + r[i, j]
        mean = s / d
        q = 0.0
        for j in range(d):
            t = (x[i, j] + r[i, j]) - mean
            q += t * t
        std = np.sqrt(q / d)
        inv = 1.0 / (std + eps)
        for j in range(d):
            out[i, j] = ((x[i, j] + r[i, j]) - mean) * inv * w[j] + b[j]


class ModelNew(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x, residual):
        x2 = x.detach().contiguous().view(-1, self.dim)
        r2 = residual.detach().contiguous().view(-1, self.dim)
        out = torch.empty_like(x2)
        _add_ln(
            x2.numpy(),
            r2.numpy(),
            self.weight.detach().numpy(),
            self.bias.detach().numpy(),
            float(self.eps),
            out.numpy(),
        )
        return out.view(x.shape)
