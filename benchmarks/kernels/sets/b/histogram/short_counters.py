import numpy as np
import torch


def custom_kernel(data):
    """Shared-memory style counters kept narrow, four copies to spread the contention."""
    x = data.numpy()
    copies = np.zeros((4, 256), dtype=np.int16)
    for lo in range(0, x.size, 8192):
        chunk = x[lo:lo + 8192]
        for c in range(4):
            np.add.at(copies[c], chunk[c::4], np.int16(1))
    total = copies.sum(axis=0, dtype=np.int16)
    return torch.from_numpy(total.astype(np.int64))
