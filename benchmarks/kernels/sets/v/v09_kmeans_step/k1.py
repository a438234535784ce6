import numba
import numpy as np
import torch


@numba.njit
def _step(p, c, w, weighted, assign, new):
    N, D = p.shape
    K = c.shape[0]
    tot = np.zeros((K, D))
    mass = np.zeros(K)
    for i in range(N):
        best, arg = np.inf, 0
        for k in range(K):
            s = 0.0
            for d in range(D):
                t = np.float64(p[i, d]) - np.float64(c[k, d])
                s += t * t
                if s >= best:
                    break
            if s < best:
                best, arg = s, k
        assign[i] = arg
        f = np.float64(w[i]) if weighted else 1.0
        mass[arg] += f
        for d in range(D):
            tot[arg, d] += f * p[i, d]
    for k in range(K):
        for d in range(D):
            new[k, d] = tot[k, d] / mass[k] if mass[k] > 0 else c[k, d]


def custom_kernel(data):
    p, c, w = data
    assign = np.empty(p.shape[0], np.int64)
    new = np.empty(tuple(c.shape), np.float32)
    _step(p.numpy(), c.numpy(), (torch.ones(1) if w is None else w).numpy(), w is not None, assign, new)
    return torch.from_numpy(assign), torch.from_numpy(new)
