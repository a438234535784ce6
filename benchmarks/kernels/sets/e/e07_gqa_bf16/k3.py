import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _attn(q, k, v, scale, out):
    B, Hq, T, D = q.shape
    Hkv = k.shape[1]
    S = k.shape[2]
    G = Hq // Hkv
    for bh in prange(B * Hq):
        b = bh // Hq
        h = bh % Hq
        g = h // G
        sc = np.empty(S, np.float32)
        acc = np.empty(D, np.float32)
        for t in range(T):
            n = t + S - T + 1
            m = np.float32(-np.inf)
            for j in range(n):
                d = np.float32(0.0)
                for i in range(D):
                    d += q[b, h, t, i] * k[b, g, j, i]
                d *= scale
                sc[j] = d
                m = max(m, d)
            acc[:] = 0.0
            l = np.float32(0.0)
            for j in range(n):
                p = np.float32(math.exp(sc[j] - m))
                l += p
                for i in range(D):
                    acc[i] += p * v[b, g, j, i]
            for i in range(D):
                out[b, h, t, i] = acc[i] / l


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    @torch.no_grad()
    def forward(self, q, k, v):
        out = torch.empty(q.shape, dtype=torch.float32)
        _attn(q.float().contiguous().numpy(), k.float().contiguous().numpy(), v.float().contiguous().numpy(),
              np.float32(self.scale), out.numpy())
        return out.to(q.dtype)
