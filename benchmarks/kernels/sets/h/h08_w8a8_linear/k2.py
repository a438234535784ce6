import numpy as np
import torch
from numba import njit, prange


@njit(parallel=True)
def _lin(x, zero, w, sx, sw, bias, out):
    m, k = x.shape
    n = w.shape[0]
    for i in prange(m):
        z = np.int64(zero[i])
        for j in range(n):
            acc = np.int64(0)
            for t in range(k):
                acc += (np.int64(x[i, t]) - z) * np.int64(w[j, t])
            out[i, j] = np.float64(acc) * np.float64(sx[i]) * np.float64(sw[j]) + bias[j]


def custom_kernel(data):
    arrays = [t.contiguous().numpy() for t in data]
    out = np.empty((arrays[0].shape[0], arrays[2].shape[0]), dtype=np.float32)
    _lin(*arrays, out)
    return torch.from_numpy(out)
