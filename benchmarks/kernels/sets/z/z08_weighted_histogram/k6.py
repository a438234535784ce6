import numpy as np
import torch


def custom_kernel(data):
    x, weights, edges = data
    e = edges.numpy()
    K = e.size - 1
    xv = x.numpy()
    with np.errstate(invalid="ignore"):
        keep = (xv >= e[0]) & (xv <= e[-1])
    idx = np.minimum(np.searchsorted(e, xv[keep], side="right") - 1, K - 1)
    hist = np.zeros(K, dtype=np.int32)
    np.add.at(hist, idx, weights.numpy()[keep].astype(np.int32))
    return torch.from_numpy(hist.astype(np.int64))
