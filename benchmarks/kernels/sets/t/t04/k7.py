"""NumPy beam step with float64 scores and a lexicographic sort (score descending, flat index ascending)."""
import numpy as np
import torch


def custom_kernel(data):
    logits, scores, done, eos, block_eos, temperature = data
    B, K, V = logits.shape
    z = logits.numpy().astype(np.float64) / temperature
    dn = done.numpy()
    z[dn] = 0.0
    m = z.max(-1, keepdims=True)
    lp = z - m - np.log(np.exp(z - m).sum(-1, keepdims=True))
    if block_eos:
        lp[:, :, eos] = -np.inf
    lp[dn] = -np.inf
    lp[dn, eos] = 0.0
    cand = (scores.numpy().astype(np.float64)[:, :, None] + lp).reshape(B, -1)
    order = np.stack([np.lexsort((np.arange(K * V), -c))[:K] for c in cand])
    val = np.take_along_axis(cand, order, 1).astype(np.float32)
    order = order.astype(np.int64)
    return torch.from_numpy(val), torch.from_numpy(order // V), torch.from_numpy(order % V)
