import numpy as np
import torch


def custom_kernel(data):
    """Scan from the right (the last block is ready first): prefix = total - suffix."""
    x = data.numpy()
    n = x.size
    total = x.astype(np.float64).sum()
    out = np.empty(n, dtype=np.float32)
    right = np.float32(0)
    for hi in range(n, 0, -512):
        lo = max(hi - 512, 0)
        rev = x[lo:hi][::-1].astype(np.float64)
        suffix = np.cumsum(np.concatenate([[right], rev]))[:-1].astype(np.float32)
        out[lo:hi] = (np.float32(total) - suffix)[::-1]
        right = np.float32(right + rev.sum())
    return torch.from_numpy(out)
