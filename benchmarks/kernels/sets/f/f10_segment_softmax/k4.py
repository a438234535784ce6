import numpy as np
import torch
from numba import njit
from task import input_t, output_t


@njit
def _exp(x):
    y = x * 1.4426950408889634
    n = np.floor(y)
    f = y - n
    p = 1.0 + f * (0.6951 + f * (0.2276 + f * 0.0773))
    return p * 2.0 ** max(n, -1000.0)


@njit
def _seg(s, seg, m, z, out):
    n = s.shape[0]
    for i in range(n):
        if s[i] > m[seg[i]]:
            m[seg[i]] = s[i]
    for i in range(n):
        e = _exp(np.float64(s[i]) - m[seg[i]])
        out[i] = e
        z[seg[i]] += e
    for i in range(n):
        out[i] = out[i] / z[seg[i]]


def custom_kernel(data: input_t) -> output_t:
    scores, segment, segments = data
    m = np.full(segments, -np.inf)
    z = np.zeros(segments)
    out = np.empty(scores.shape[0], dtype=np.float32)
    _seg(scores.numpy(), segment.numpy(), m, z, out)
    return torch.from_numpy(out)
