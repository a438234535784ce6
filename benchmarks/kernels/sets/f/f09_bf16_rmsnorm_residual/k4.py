import numpy as np
import torch
from numba import njit
from task import input_t, output_t


@njit
def _fused(x, r, w, eps, out, res):
    n, d = x.shape
    for i in range(n):
        s = 0.0
        for j in range(d):
            h = x[i, j] + r[i, j]
            res[i, j] = h
            s += np.float64(h) * h
        inv = 1.0 / np.sqrt(s / d + eps)
        for j in range(d):
            out[i, j] = res[i, j] * inv * w[j]


def custom_kernel(data: input_t) -> output_t:
    x, residual, weight, eps = data
    xf = x.float().numpy()
    rf = residual.float().numpy()
    out = np.empty(xf.shape, np.float32)
    res = np.empty(xf.shape, np.float32)
    _fused(xf, rf, weight.float().numpy(), eps, out, res)
    return torch.from_numpy(out).bfloat16(), torch.from_numpy(res).bfloat16()
