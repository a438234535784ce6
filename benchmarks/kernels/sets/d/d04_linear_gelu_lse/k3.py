import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def gelu_lse(y, shift, out):
    n, m = y.shape
    for i in prange(n):
        s = 0.0
        for o in range(m):
            v = np.float64(y[i, o])
            g = 0.5 * v * (1.0 + math.erf(v * 0.7071067811865476)) + shift[o]
            s += math.exp(g)
        out[i, 0] = math.log(s)


class ModelNew(nn.Module):
    """GEMM by the library, the activation and the reduction in one kernel."""

    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.shift = nn.Parameter(torch.zeros(out_features))

    @torch.no_grad()
    def forward(self, x):
        y = self.linear(x)
        out = torch.empty(x.shape[0], 1, dtype=x.dtype)
        gelu_lse(y.numpy(), self.shift.detach().numpy(), out.numpy())
        return out
