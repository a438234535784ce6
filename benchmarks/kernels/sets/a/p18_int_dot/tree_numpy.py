import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        p = np.multiply(a.numpy(), b.numpy(), dtype=np.int64)
        if p.shape[1] == 0:
            return torch.zeros(p.shape[0], dtype=torch.int64)
        while p.shape[1] > 1:
            if p.shape[1] % 2:
                p = np.concatenate([p, np.zeros((p.shape[0], 1), dtype=np.int64)], axis=1)
            h = p.shape[1] // 2
            p = p[:, :h] + p[:, h:]
        return torch.from_numpy(np.ascontiguousarray(p[:, 0]))
