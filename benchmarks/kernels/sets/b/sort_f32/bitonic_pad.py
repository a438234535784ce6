import numpy as np
import torch

PAD = np.float32(1e10)


def custom_kernel(data):
    x = data.numpy()
    nan = np.isnan(x)
    x = x[~nan]
    n = x.size
    size = 1 << max(n - 1, 0).bit_length()
    buf = np.full(size, PAD, dtype=np.float32)
    buf[:n] = x
    i = np.arange(size)
    span = 2
    while span <= size:
        gap = span >> 1
        while gap:
            p = buf[i ^ gap]
            keep_low = ((i & span) == 0) == ((i & gap) == 0)
            buf = np.where(keep_low, np.minimum(buf, p), np.maximum(buf, p))
            gap >>= 1
        span <<= 1
    out = np.full(data.numel(), np.nan, dtype=np.float32)
    out[:n] = buf[:n]
    return torch.from_numpy(out)
