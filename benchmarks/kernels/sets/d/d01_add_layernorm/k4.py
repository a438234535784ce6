import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit
def _row(xr, rr, w, b, eps, o):
    # Welford's running mean and sum of squared deviations
    mean = 0.0
    m2 = 0.0
    d = xr.shape[0]
    for j in range(d):
        h = np.float64(xr[j] + rr[j])
        delta = h - mean
        mean += delta / (j + 1)
        m2 += delta * (h - mean)
    rstd = 1.0 / np.sqrt(m2 / d + eps)
    for j in range(d):
        o[j] = (np.float64(xr[j] + rr[j]) - mean) * rstd * w[j] + b[j]


@njit(parallel=True)
def _run(x, r, w, b, eps, out):
    for i in prange(x.shape[0]):
        _row(x[i], r[i], w, b, eps, out[i])


class ModelNew(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x, residual):
        shape = x.shape
        xn = x.detach().reshape(-1, shape[-1]).numpy()
        rn = residual.detach().reshape(-1, shape[-1]).numpy()
        out = np.empty(xn.shape, dtype=xn.dtype)
        _run(xn, rn, self.weight.detach().numpy(), self.bias.detach().numpy(), self.eps, out)
        return torch.from_numpy(out).reshape(shape)
