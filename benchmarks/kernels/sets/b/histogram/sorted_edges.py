import numpy as np
import torch


def custom_kernel(data):
    """Sort the bytes, then take the differences of the bin edges."""
    s = np.sort(data.numpy(), kind="stable")
    edges = np.searchsorted(s, np.arange(256, dtype=np.uint8), side="left")
    counts = np.diff(np.concatenate([edges, [s.size]]))
    return torch.from_numpy(counts.astype(np.int64))
