import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    SPLITS = 3

    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        a = A.detach().numpy()
        b = B.detach().numpy()
        nb, m, k = a.shape
        n = b.shape[2]
        step = max(1, -(-k // self.SPLITS))
        parts = []
        for p in range(0, k, step):
            part = np.empty((nb, m, n), dtype=np.float32)
            for i in range(nb):
                part[i] = np.einsum("mk,kn->mn", a[i, :, p:p + step], b[i, p:p + step, :])
            parts.append(part)
        while len(parts) > 1:
            merged = [parts[i] + parts[i + 1] for i in range(0, len(parts) - 1, 2)]
            if len(parts) % 2:
                merged.append(parts[-1])
            parts = merged
        if not parts:
            return torch.zeros(nb, m, n)
        return torch.from_numpy(parts[0])
