import numpy as np
import torch
from numba import njit
from task import input_t, output_t


@njit
def _rows(x, r, w, eps, out, res):
    n, d = x.shape
    for i in range(n):
        s0 = np.float32(0.0)
        s1 = np.float32(0.0)
        s2 = np.float32(0.0)
        s3 = np.float32(0.0)
        for j in range(d):
            res[i, j] = x[i, j] + r[i, j]
        for b in range(d // 64):
            for j in range(b * 64, b * 64 + 64, 4):
                s0 += res[i, j] * res[i, j]
                s1 += res[i, j + 1] * res[i, j + 1]
                s2 += res[i, j + 2] * res[i, j + 2]
                s3 += res[i, j + 3] * res[i, j + 3]
        inv = 1.0 / np.sqrt(((s0 + s1) + (s2 + s3)) / d + eps)
        for j in range(d):
            out[i, j] = res[i, j] * inv * w[j]


def custom_kernel(data: input_t) -> output_t:
    x, residual, weight, eps = data
    xf = x.float().numpy()
    out = np.empty(xf.shape, np.float32)
    res = np.empty(xf.shape, np.float32)
    _rows(xf, residual.float().numpy(), weight.float().numpy(), eps, out, res)
    return torch.from_numpy(out).bfloat16(), torch.from_numpy(res).bfloat16()
