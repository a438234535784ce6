import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_segments, dim):
        super().__init__()
        self.num_segments = num_segments
        self.empty = nn.Parameter(torch.zeros(dim))

    def forward(self, x, ids):
        s = self.num_segments
        total = torch.zeros(s, x.shape[1], dtype=torch.float64)
        total = total.index_add(0, ids, x.double())
        cnt = torch.zeros(s, dtype=torch.uint8)
        cnt.index_add_(0, ids, torch.ones(ids.shape, dtype=torch.uint8))
        mean = (total / cnt.clamp(min=1)[:, None]).to(x.dtype)
        return torch.where(cnt[:, None] > 0, mean, self.empty)
