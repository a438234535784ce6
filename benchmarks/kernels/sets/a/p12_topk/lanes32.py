import torch
import torch.nn as nn


class ModelNew(nn.Module):
    LANES = 32

    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        steps = x.shape[-1] // self.LANES
        v = x[..., :0]
        i = torch.zeros(v.shape, dtype=torch.int64)
        for s in range(steps):
            j = s * self.LANES
            t = x[..., j:j + self.LANES]
            v = torch.cat([v, t], -1)
            i = torch.cat([i, torch.arange(j, j + self.LANES).expand_as(t)], -1)
            o = torch.argsort(v, dim=-1, descending=True)[..., :self.k]
            v, i = v.gather(-1, o), i.gather(-1, o)
        return v, i
