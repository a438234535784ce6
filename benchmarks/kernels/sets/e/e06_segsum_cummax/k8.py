import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _accumulate(values, seg, sums):
    N, K = values.shape
    for i in prange(N):
        s = seg[i]
        for k in range(K):
            sums[s, k] += values[i, k]


class ModelNew(nn.Module):
    """Rows in parallel."""

    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, values, seg):
        sums = torch.zeros(self.segments, values.shape[1], dtype=torch.int64)
        _accumulate(values.contiguous().numpy(), seg.contiguous().numpy(), sums.numpy())
        peak, where = torch.cummax(sums, dim=0)
        return sums, peak, where
