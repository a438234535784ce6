import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_segments, dim):
        super().__init__()
        self.num_segments = num_segments
        self.empty = nn.Parameter(torch.zeros(dim))

    def forward(self, x, ids):
        s = self.num_segments
        cnt = torch.bincount(ids, minlength=s)
        order = torch.argsort(ids, stable=True)
        off = torch.cumsum(cnt, 0) - cnt
        acc = torch.zeros(s, x.shape[1], dtype=torch.float64)
        width = int(cnt.max()) if ids.numel() else 0
        for j in range(width):                       # j-th row of every segment that has one
            live = torch.nonzero(cnt > j).squeeze(1)
            acc = acc.index_add(0, live, x[order[off[live] + j]].double())
        mean = acc / cnt.clamp(min=1)[:, None]
        return torch.where(cnt[:, None] > 0, mean.to(x.dtype), self.empty)
