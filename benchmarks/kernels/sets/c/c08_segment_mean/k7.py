import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_segments, dim):
        super().__init__()
        self.num_segments = num_segments
        self.empty = nn.Parameter(torch.zeros(dim))
        self._acc = torch.zeros(num_segments, dim, dtype=torch.float64)
        self._cnt = torch.zeros(num_segments, dtype=torch.float64)

    @torch.no_grad()
    def forward(self, x, ids):
        one = torch.ones(ids.shape, dtype=torch.float64)
        self._acc.index_add_(0, ids, x.double())
        self._cnt.index_add_(0, ids, one)
        mean = (self._acc / self._cnt.clamp(min=1)[:, None]).to(x.dtype)
        return torch.where(self._cnt[:, None] > 0, mean, self.empty)
