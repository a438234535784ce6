import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange, get_num_threads


@njit(parallel=True)
def segment_mean(values, ids, nseg, nchunks):
    n = values.shape[0]
    part = np.zeros((nchunks, nseg), np.int64)
    cnt = np.zeros((nchunks, nseg), np.int64)
    for c in prange(nchunks):
        lo = c * n // nchunks
        hi = (c + 1) * n // nchunks
        for i in range(lo, hi):
            part[c, ids[i]] += values[i]
            cnt[c, ids[i]] += 1
    out = np.zeros(nseg, np.int64)
    for s in prange(nseg):
        t = np.int64(0)
        m = np.int64(0)
        for c in range(nchunks):
            t += part[c, s]
            m += cnt[c, s]
        if m > 0:
            out[s] = t // m
    return out


class ModelNew(nn.Module):
    def __init__(self, num_segments: int):
        super().__init__()
        self.num_segments = num_segments

    def forward(self, values, ids):
        return torch.from_numpy(segment_mean(values.numpy(), ids.numpy(), self.num_segments, get_num_threads()))
