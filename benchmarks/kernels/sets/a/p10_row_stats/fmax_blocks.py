import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        n, L = x.shape
        filled = torch.where(torch.isnan(x), torch.full_like(x, float("-inf")), x)
        best = filled[:, 0]
        for j in range(1, L):
            best = torch.fmax(best, filled[:, j])
        idx = (filled == best[:, None]).to(torch.uint8).argmax(dim=1)
        run = x.cumsum(dim=1)
        s = run[:, -1]
        return torch.stack([s, s / L, best, idx.to(x.dtype), run.amax(dim=1)], dim=1)
