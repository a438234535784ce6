import numpy as np
import torch


def custom_kernel(data):
    values, offsets, scale = data
    off = offsets.numpy()
    n = values.numel()
    x = values.numpy().astype(np.float64) * scale
    length = np.diff(off)
    # reduceat wants indices below n
    start = np.minimum(off[:-1], n - 1)
    mx = np.maximum.reduceat(x, start)
    mx = np.where(np.isinf(mx), 0.0, mx)
    e = np.exp(x - np.repeat(mx, length))
    den = np.add.reduceat(e, start)
    den = np.where(den == 0.0, 1.0, den)
    return torch.from_numpy((e / np.repeat(den, length)).astype(np.float32))
