import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def segment_mean(values, ids, nseg):
    total = np.zeros(nseg, np.int64)
    count = np.zeros(nseg, np.int64)
    for i in range(values.shape[0]):
        total[ids[i]] += values[i]
        count[ids[i]] += 1
    out = np.empty(nseg, np.int64)
    for s in range(nseg):
        c = max(count[s], 1)
        t = total[s]
        # integer quotient; the sign is handled apart from the magnitude
        out[s] = t // c if t >= 0 else -((-t) // c)
    return out


class ModelNew(nn.Module):
    def __init__(self, num_segments: int):
        super().__init__()
        self.num_segments = num_segments

    def forward(self, values, ids):
        return torch.from_numpy(segment_mean(values.numpy(), ids.numpy(), self.num_segments))
