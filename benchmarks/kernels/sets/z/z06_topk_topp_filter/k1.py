import numpy as np
import torch


def custom_kernel(data):
    logits, top_k, top_p, temperature = data
    x = logits.numpy().astype(np.float64) / temperature.numpy().astype(np.float64)[:, None]
    B, V = x.shape
    out = np.zeros((B, V), np.float32)
    for b in range(B):
        order = np.lexsort((np.arange(V), -x[b]))
        k = int(top_k[b])
        if k > 0:
            order = order[:k]
        e = np.exp(x[b, order] - x[b, order[0]])
        p = float(top_p[b])
        if p < 1.0:
            c = np.cumsum(e) / e.sum()
            n = 1 + int(np.count_nonzero(c[:-1] < p))
            order, e = order[:n], e[:n]
        out[b, order] = e / e.sum()
    return torch.from_numpy(out)
