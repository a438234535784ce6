import numpy as np
import torch
from numba import njit
from task import input_t, output_t


@njit
def _online(s, seg, m, z, out):
    for i in range(s.shape[0]):
        v = np.float64(s[i])
        k = seg[i]
        if v > m[k]:
            z[k] = z[k] * np.exp(m[k] - v) + 1.0
            m[k] = v
        else:
            z[k] += np.exp(v - m[k])
    for i in range(s.shape[0]):
        k = seg[i]
        out[i] = np.exp(s[i] - m[k]) / z[k]


def custom_kernel(data: input_t) -> output_t:
    scores, segment, segments = data
    m = np.full(segments, -np.inf)
    z = np.zeros(segments)
    out = np.empty(scores.numel(), dtype=np.float32)
    _online(scores.numpy(), segment.numpy(), m, z, out)
    return torch.from_numpy(out)
