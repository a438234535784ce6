import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def fused(x, w, b, shift, out):
    n, kdim = x.shape
    m = w.shape[0]
    for i in prange(n):
        y = np.empty(m, np.float64)
        top = -np.inf
        for o in range(m):
            acc = 0.0
            for k in range(kdim):
                acc += np.float64(x[i, k]) * np.float64(w[o, k])
            acc += b[o]
            g = 0.5 * acc * (1.0 + math.erf(acc * 0.7071067811865476)) + shift[o]
            y[o] = g
            if g > top:
                top = g
        if np.isinf(top):
            top = 0.0
        s = 0.0
        for o in range(m):
            s += math.exp(y[o] - top)
        out[i, 0] = top + math.log(s) if s > 0 else (-np.inf if s == 0 else np.nan)


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.shift = nn.Parameter(torch.zeros(out_features))

    def forward(self, x):
        out = torch.empty(x.shape[0], 1, dtype=x.dtype)
        fused(
            x.detach().contiguous().numpy(),
            self.linear.weight.detach().numpy(),
            self.linear.bias.detach().numpy(),
            self.shift.detach().numpy(),
            out.numpy(),
        )
        return out
