import numba
import numpy as np
import torch


@numba.njit
def _assign(p, c, label):
    for i in range(p.shape[0]):
        best = np.inf
        for k in range(c.shape[0]):
            s = 0.0
            for d in range(p.shape[1]):
                t = np.float64(p[i, d]) - np.float64(c[k, d])
                s += t * t
            if s < best:
                best = s
                label[i] = k


def custom_kernel(data):
    p, c, w = data
    label = np.zeros(p.shape[0], np.uint8)       # compact labels
    _assign(p.numpy(), c.numpy(), label)
    a = torch.from_numpy(label).long()
    wd = torch.ones(p.shape[0], dtype=torch.float64) if w is None else w.double()
    mass = torch.zeros(c.shape[0], dtype=torch.float64).scatter_add_(0, a, wd)
    tot = torch.zeros(c.shape, dtype=torch.float64).index_add_(0, a, p.double() * wd[:, None])
    new = torch.where(mass[:, None] > 0, tot / mass.clamp(min=1e-30)[:, None], c.double())
    return a, new.float()
