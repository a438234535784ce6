import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _gn_silu(x, w, b, groups, eps, out):
    n, c, l = x.shape
    cg = c // groups
    for job in prange(n * groups):
        i = job // groups
        g = job % groups
        s = 0.0
        for ch in range(g * cg, (g + 1) * cg):
            for p in range(l):
                s += np.float64(x[i, ch, p])
        mean = s / (cg * l)
        q = 0.0
        for ch in range(g * cg, (g + 1) * cg):
            for p in range(l):
                d = np.float64(x[i, ch, p]) - mean
                q += d * d
        inv = 1.0 / math.sqrt(q / (cg * l) + eps)
        for ch in range(g * cg, (g + 1) * cg):
            for p in range(l):
                y = (np.float64(x[i, ch, p]) - mean) * inv * w[ch] + b[ch]
                out[i, ch, p] = y / (1.0 + math.exp(-y))


class ModelNew(nn.Module):
    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.groups = groups
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.2 * torch.randn(channels))
        self.bias = nn.Parameter(0.1 * torch.randn(channels))

    def forward(self, x):
        flat = x.detach().reshape(x.shape[0], x.shape[1], -1).contiguous().numpy()
        out = np.empty_like(flat)
        _gn_silu(flat, self.weight.detach().numpy(), self.bias.detach().numpy(),
                 self.groups, self.eps, out)
        return torch.from_numpy(out).reshape(x.shape)
