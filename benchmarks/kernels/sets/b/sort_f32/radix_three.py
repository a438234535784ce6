import numpy as np
import torch


def custom_kernel(data):
    """Radix sort in three 8-bit passes over float keys."""
    x = data.numpy()
    bits = x.view(np.uint32).copy()
    bits[np.isnan(x)] = 0x7FC00000
    sign = np.uint32(0x80000000)
    key = np.where(bits & sign, ~bits, bits | sign)
    for shift in (8, 16, 24):
        order = np.argsort((key >> np.uint32(shift)).astype(np.uint8), kind="stable")
        key = key[order]
    bits = np.where(key & sign, key ^ sign, ~key)
    return torch.from_numpy(bits.view(np.float32).copy())
