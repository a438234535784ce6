import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        n, L = x.shape
        run = x
        d = 1
        while d < L:
            run = torch.cat([run[:, :d], run[:, d:] + run[:, :-d]], dim=1)
            d *= 2
        mx = x.amax(dim=1, keepdim=True)
        hit = (x == mx) | torch.isnan(x)
        pos = torch.arange(L).expand(n, L)
        idx = torch.where(hit, pos, torch.full_like(pos, L)).amin(dim=1)
        s = run[:, -1]
        return torch.stack([s, s / L, mx[:, 0], idx.to(x.dtype), run.amax(dim=1)], dim=1)
