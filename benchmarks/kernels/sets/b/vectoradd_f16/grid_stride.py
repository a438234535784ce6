import numpy as np
import torch

WORKERS = 4


def custom_kernel(data):
    a, b = data
    x, y = a.numpy(), b.numpy()
    out = np.empty(x.shape, dtype=np.float16)
    with np.errstate(all="ignore"):
        for w in range(WORKERS):
            s = x[w::WORKERS].astype(np.float64) + y[w::WORKERS].astype(np.float64)
            out[w::WORKERS] = s.astype(np.float16)
    return torch.from_numpy(out)
