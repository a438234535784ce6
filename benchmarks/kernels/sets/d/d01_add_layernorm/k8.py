import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _norm_rows(h, w, b, eps, out):
    n, d = h.shape
    for i in prange(n):
        mean = 0.0
        for j in range(d):
            mean += h[i, j]
        mean /= d
        var = 0.0
        for j in range(d):
            var += (h[i, j] - mean) ** 2
        rstd = 1.0 / np.sqrt(var / d + eps)
        for j in range(d):
            out[i, j] = (h[i, j] - mean) * rstd * w[j] + b[j]


class ModelNew(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x, residual):
        # no temporary for the sum: saves one pass of memory traffic
        h = x.detach().contiguous().view(-1, self.dim).numpy()
        h += residual.detach().reshape(-1, self.dim).numpy()
        out = np.empty_like(h)
        _norm_rows(h, self.weight.detach().numpy(), self.bias.detach().numpy(), self.eps, out)
        return torch.from_numpy(out).view(x.shape)
