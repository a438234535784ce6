import numpy as np
import torch


def custom_kernel(data):
    """Precomputed compact pixel indices, one gather per channel."""
    h, w, _ = data.shape
    n = h * w
    px = data.reshape(n, 3).numpy()
    idx = np.arange(n).astype(np.int16)
    out = np.zeros(n, dtype=np.float32)
    for s in range(0, n, 2048):
        i = idx[s:s + 2048]
        t = px[i]
        out[i] = np.float32(0.2989) * t[:, 0] + np.float32(0.5870) * t[:, 1] + np.float32(0.1140) * t[:, 2]
    return torch.from_numpy(out).reshape(h, w)
