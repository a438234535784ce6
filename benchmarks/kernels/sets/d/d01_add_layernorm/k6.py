import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True, fastmath={"reassoc", "contract"})
def fused_add_norm(x, r, gamma, eps, y):
    rows, cols = x.shape
    for i in prange(rows):
        acc = 0.0
        for j in range(cols):
            acc += np.float64(x[i, j] + r[i, j])
        mu = acc / cols
        acc = 0.0
        for j in range(cols):
            c = np.float64(x[i, j] + r[i, j]) - mu
            acc += c * c
        inv = 1.0 / np.sqrt(acc / cols + eps)
        for j in range(cols):
            y[i, j] = (np.float64(x[i, j] + r[i, j]) - mu) * inv * gamma[j]


class ModelNew(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x, residual):
        xn = x.detach().contiguous().view(-1, self.dim).numpy()
        rn = residual.detach().contiguous().view(-1, self.dim).numpy()
        y = np.empty_like(xn)
        fused_add_norm(xn, rn, self.weight.detach().numpy(), self.eps, y)
        return torch.from_numpy(y).view(x.shape)
