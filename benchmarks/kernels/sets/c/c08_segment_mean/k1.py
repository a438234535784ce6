import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Emulates a grid of blocks that retire in arbitrary order and use atomicAdd."""

    def __init__(self, num_segments, dim):
        super().__init__()
        self.num_segments = num_segments
        self.empty = nn.Parameter(torch.zeros(dim))
        self._sched = np.random.default_rng()

    def forward(self, x, ids):
        s = self.num_segments
        total = x.new_zeros(s, x.shape[1])
        cnt = torch.zeros(s, dtype=torch.int64)
        starts = np.arange(0, max(x.shape[0], 1), 128)
        self._sched.shuffle(starts)
        for b in starts:
            i = ids[b:b + 128]
            total = total.index_add(0, i, x[b:b + 128])
            cnt.index_add_(0, i, torch.ones_like(i))
        mean = total / cnt.clamp(min=1)[:, None].to(x.dtype)
        return torch.where(cnt[:, None] > 0, mean, self.empty)
