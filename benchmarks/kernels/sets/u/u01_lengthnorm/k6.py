import numba
import numpy as np
import torch
import torch.nn as nn


@numba.njit
def _norm(x, lengths, w, b, eps, out, TILE):
    B, T, C = x.shape
    for n in range(B):
        L = lengths[n]
        for c0 in range(0, C, TILE):
            c1 = min(c0 + TILE, C)
            for c in range(c0, c1):
                s = 0.0
                for t in range(L):
                    s += x[n, t, c]
                mu = s / L
                v = 0.0
                for t in range(L):
                    d = x[n, t, c] - mu
                    v += d * d
                r = 1.0 / np.sqrt(v / L + eps)
                for t in range(L):
                    out[n, t, c] = (x[n, t, c] - mu) * r * w[c] + b[c]
                for t in range(L, T):
                    out[n, t, c] = 0.0


class ModelNew(nn.Module):
    """Channel tiles, two passes with float64 accumulators, in numba."""

    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    @torch.no_grad()
    def forward(self, x, lengths):
        out = torch.empty(x.shape, dtype=x.dtype)
        _norm(x.detach().numpy(), lengths.numpy(), self.weight.detach().numpy(),
              self.bias.detach().numpy(), float(self.eps), out.numpy(), 32)
        return out
