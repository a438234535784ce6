import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def gelu_lse(y, out):
    n, m = y.shape
    for i in prange(n):
        top = -np.inf
        s = 0.0
        for o in range(m):
            v = np.float64(y[i, o])
            g = 0.5 * v * math.erfc(-v * 0.7071067811865476)
            if g > top:
                s = s * math.exp(top - g) + 1.0
                top = g
            elif g == top and np.isinf(g):
                s += 1.0
            else:
                s += math.exp(g - top)
        if s == 0.0:
            out[i, 0] = -np.inf
        else:
            out[i, 0] = top + math.log(s)


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.shift = nn.Parameter(torch.zeros(out_features))

    @torch.no_grad()
    def forward(self, x):
        y = self.linear(x)
        out = torch.empty(x.shape[0], 1, dtype=x.dtype)
        gelu_lse(y.numpy(), out.numpy())
        return out
