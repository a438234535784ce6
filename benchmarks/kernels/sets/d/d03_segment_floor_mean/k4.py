import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def segment_mean(values, ids, nseg):
    total = np.zeros(nseg, np.int32)
    count = np.zeros(nseg, np.int32)
    for i in range(values.shape[0]):
        total[ids[i]] += values[i]
        count[ids[i]] += 1
    out = np.zeros(nseg, np.int64)
    for s in range(nseg):
        if count[s] > 0:
            out[s] = total[s] // count[s]
    return out


class ModelNew(nn.Module):
    def __init__(self, num_segments: int):
        super().__init__()
        self.num_segments = num_segments

    def forward(self, values, ids):
        return torch.from_numpy(segment_mean(values.numpy(), ids.numpy(), self.num_segments))
