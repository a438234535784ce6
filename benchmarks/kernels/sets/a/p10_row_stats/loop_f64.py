import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        a = x.detach().numpy()
        n, L = a.shape
        s = np.zeros(n)
        peak = np.full(n, -np.inf)
        best = a[:, 0].copy()
        idx = np.zeros(n, dtype=np.int64)
        for j in range(L):
            c = a[:, j]
            s = s + c
            peak = np.maximum(peak, s)
            better = (c > best) | (np.isnan(c) & ~np.isnan(best))
            idx[better] = j
            best[better] = c[better]
        out = np.stack([s, s / L, best, idx, peak], axis=1).astype(np.float32)
        return torch.from_numpy(out)
