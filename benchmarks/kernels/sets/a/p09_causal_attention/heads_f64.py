import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        B, H, S, D = q.shape
        qn, kn, vn = (t.detach().double().numpy() for t in (q, k, v))
        hidden = np.triu(np.ones((S, S), dtype=bool), 1)
        out = np.empty((B, H, S, vn.shape[-1]), dtype=np.float32)
        for b in range(B):
            for h in range(H):
                s = qn[b, h] @ kn[b, h].T / np.sqrt(D)
                s[hidden] = -np.inf
                s -= s.max(axis=1, keepdims=True)
                p = np.exp(s)
                out[b, h] = (p @ vn[b, h]) / p.sum(axis=1, keepdims=True)
        return torch.from_numpy(out)
