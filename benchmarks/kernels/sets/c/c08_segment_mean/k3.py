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
        csum = torch.zeros(x.shape[0] + 1, x.shape[1], dtype=x.dtype)
        csum = torch.cat([csum[:1], torch.cumsum(x[order], 0)], 0)
        end = torch.cumsum(cnt, 0)
        tot = csum[end] - csum[end - cnt]
        mean = tot / cnt.clamp(min=1)[:, None].to(x.dtype)
        return torch.where(cnt[:, None] > 0, mean, self.empty)
