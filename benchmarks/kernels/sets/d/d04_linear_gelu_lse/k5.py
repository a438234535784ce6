import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def fused(x, wt, b, shift, out):
    n, kdim = x.shape
    m = wt.shape[1]
    for i in prange(n):
        acc = np.zeros(m, np.float64)
        for k in range(kdim):
            xv = np.float64(x[i, k])
            for o in range(m):
                acc[o] += xv * wt[k, o]
        top = -np.inf
        for o in range(m):
            v = acc[o] + b[o]
            v = 0.5 * v * (1.0 + math.erf(v * 0.7071067811865476)) + shift[o]
            acc[o] = v
            top = max(top, v)
        s = 0.0
        for o in range(m):
            s += math.exp(acc[o] - top)
        out[i, 0] = top + math.log(s)


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.shift = nn.Parameter(torch.zeros(out_features))
        # (in, out) layout so that the inner loop is unit stride
        self.wt = np.ascontiguousarray(self.linear.weight.detach().numpy().T)

    def forward(self, x):
        out = torch.empty(x.shape[0], 1, dtype=x.dtype)
        fused(
            x.detach().contiguous().numpy(),
            self.wt,
            self.linear.bias.detach().numpy(),
            self.shift.detach().numpy(),
            out.numpy(),
        )
        return out
