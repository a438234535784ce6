import numba
import numpy as np
import torch


@numba.njit
def _agg(ptr, idx, w, weighted, x, mode, out):
    F = x.shape[1]
    acc = np.zeros(F, np.float64)
    for r in range(out.shape[0]):
        lo, hi = ptr[r], ptr[r + 1]
        acc[:] = -np.inf if mode == 2 else 0.0
        for i in range(lo, hi):
            f = np.float64(w[i]) if weighted else 1.0
            for k in range(F):
                v = f * x[idx[i], k]
                if mode == 2:
                    acc[k] = max(acc[k], v)
                else:
                    acc[k] += v
        for k in range(F):
            if hi == lo:
                out[r, k] = 0.0
            elif mode == 1:
                out[r, k] = acc[k] / (hi - lo)
            else:
                out[r, k] = acc[k]


def custom_kernel(data):
    indptr, indices, weights, x, reduce = data
    out = np.empty((indptr.numel() - 1, x.shape[1]), np.float32)
    w = weights if weights is not None else torch.zeros(1)
    _agg(indptr.numpy(), indices.numpy(), w.numpy(), weights is not None, x.numpy(),
         {"sum": 0, "mean": 1, "max": 2}[reduce], out)
    return torch.from_numpy(out)
