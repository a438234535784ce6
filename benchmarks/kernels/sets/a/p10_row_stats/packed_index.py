import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Keeps the arg-max lane id in a byte next to the value."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        n, L = x.shape
        lane = torch.arange(L).to(torch.uint8)
        best = x[:, 0].clone()
        idx = torch.zeros(n, dtype=torch.uint8)
        s = torch.zeros(n)
        peak = torch.full((n,), float("-inf"))
        for j in range(L):
            c = x[:, j]
            up = (c > best) | (torch.isnan(c) & ~torch.isnan(best))
            best = torch.where(up, c, best)
            idx = torch.where(up, lane[j], idx)
            s = s + c
            peak = torch.maximum(peak, s)
        return torch.stack([s, s / L, best, idx.float(), peak], dim=1)
