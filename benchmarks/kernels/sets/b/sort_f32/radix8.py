import numpy as np
import torch


def custom_kernel(data):
    """LSD radix sort, four 8-bit passes over order-preserving integer keys."""
    x = data.numpy()
    bits = x.view(np.uint32).copy()
    bits[np.isnan(x)] = 0x7FC00000
    neg = (bits >> 31).astype(bool)
    key = np.where(neg, ~bits, bits | np.uint32(0x80000000))
    for shift in (0, 8, 16, 24):
        digit = (key >> np.uint32(shift)) & np.uint32(255)
        count = np.bincount(digit, minlength=256)
        start = np.cumsum(count) - count
        out = np.empty_like(key)
        for d in np.nonzero(count)[0]:
            sel = key[digit == d]
            out[start[d]:start[d] + sel.size] = sel
        key = out
    neg = (key >> 31) == 0
    bits = np.where(neg, ~key, key & np.uint32(0x7FFFFFFF))
    return torch.from_numpy(bits.view(np.float32).copy())
