import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_segments, dim):
        super().__init__()
        self.num_segments = num_segments
        self.empty = nn.Parameter(torch.zeros(dim))

    def forward(self, x, ids):
        cnt = torch.bincount(ids)
        s = cnt.numel()
        total = torch.zeros(s, x.shape[1], dtype=torch.float64)
        for c in range(0, x.shape[0], 512):
            total = total.index_add(0, ids[c:c + 512], x[c:c + 512].double())
        mean = (total / cnt.clamp(min=1)[:, None]).to(x.dtype)
        return torch.where(cnt[:, None] > 0, mean, self.empty)
