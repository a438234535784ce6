import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _attn(q, k, v, slopes, window, out):
    B, H, T, D = q.shape
    G, S = k.shape[1], k.shape[2]
    r = H // G
    scale = 1.0 / math.sqrt(D)
    for job in prange(B * H):
        b = job // H
        h = job % H
        g = h // r
        acc = np.zeros(D, dtype=np.float64)
        for t in range(T):
            p = S - T + t
            lo = max(0, p - window + 1)
            m = -np.inf
            l = 0.0
            acc[:] = 0.0
            for j in range(lo, p + 1):
                dot = 0.0
                for d in range(D):
                    dot += np.float64(q[b, h, t, d]) * k[b, g, j, d]
                s = dot * scale - slopes[h] * (p - j)
                if s > m:
                    c = math.exp(m - s)
                    l *= c
                    for d in range(D):
                        acc[d] *= c
                    m = s
                e = math.exp(s - m)
                l += e
                for d in range(D):
                    acc[d] += e * v[b, g, j, d]
            for d in range(D):
                out[b, h, t, d] = acc[d] / l


class ModelNew(nn.Module):
    def __init__(self, heads, kv_heads, window):
        super().__init__()
        self.heads = heads
        self.kv_heads = kv_heads
        self.window = window
        self.register_buffer(
            "slopes", torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]))

    def forward(self, q, k, v):
        qn, kn, vn = (t.detach().contiguous().numpy() for t in (q, k, v))
        out = np.empty_like(qn)
        _attn(qn, kn, vn, self.slopes.numpy(), self.window, out)
        return torch.from_numpy(out)
