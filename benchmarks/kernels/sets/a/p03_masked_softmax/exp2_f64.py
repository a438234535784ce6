import numpy as np
import torch
import torch.nn as nn

LOG2E = 1.4426950408889634


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        s = x.detach().numpy() + mask.detach().numpy()
        s = s.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            m = s.max(axis=-1, keepdims=True)
            e = np.exp2((s - m) * LOG2E)
            y = e / e.sum(axis=-1, keepdims=True)
        return torch.from_numpy(y.astype(np.float32))
