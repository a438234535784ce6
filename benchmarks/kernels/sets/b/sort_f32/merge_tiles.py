import numpy as np
import torch

TILE = 32


def _merge(a, b):
    ia = np.arange(a.size) + np.searchsorted(b, a, side="left")
    ib = np.arange(b.size) + np.searchsorted(a, b, side="right")
    out = np.empty(a.size + b.size, dtype=a.dtype)
    out[ia] = a
    out[ib] = b
    return out


def custom_kernel(data):
    """Small tiles by insertion, then pairwise merges (NaN counts as the largest)."""
    x = data.numpy()
    runs = []
    for lo in range(0, x.size, TILE):
        run = np.empty(0, dtype=x.dtype)
        for v in x[lo:lo + TILE]:
            p = np.searchsorted(run, v, side="right")
            run = np.insert(run, p, v)
        runs.append(run)
    while len(runs) > 1:
        runs = [_merge(runs[i], runs[i + 1]) if i + 1 < len(runs) else runs[i]
                for i in range(0, len(runs), 2)]
    return torch.from_numpy(runs[0].copy())
