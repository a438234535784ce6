import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _seg(values, seg, sums, peak, where):
    N, K = values.shape
    S = sums.shape[0]
    for k in prange(K):
        for s in range(S):
            sums[s, k] = 0
        for i in range(N):
            sums[seg[i], k] += values[i, k]
        best = sums[0, k]
        at = 0
        for s in range(S):
            if sums[s, k] >= best:
                best = sums[s, k]
                at = s
            peak[s, k] = best
            where[s, k] = at


class ModelNew(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, values, seg):
        S, K = self.segments, values.shape[1]
        sums = torch.empty(S, K, dtype=torch.int64)
        peak = torch.empty_like(sums)
        where = torch.empty_like(sums)
        _seg(values.contiguous().numpy(), seg.contiguous().numpy(), sums.numpy(), peak.numpy(), where.numpy())
        return sums, peak, where
