import numpy as np
import torch


def custom_kernel(data):
    """One pass, 1024 elements at a time, float32 carry."""
    x = data.numpy()
    out = np.empty_like(x)
    carry = np.float32(0)
    for lo in range(0, x.size, 1024):
        t = np.add.accumulate(x[lo:lo + 1024], dtype=np.float32)
        out[lo:lo + 1024] = t + carry
        carry = out[min(lo + 1024, x.size) - 1]
    return torch.from_numpy(out)
