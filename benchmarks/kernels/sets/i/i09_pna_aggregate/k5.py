import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def _agg(x, src, dst, out, eps):
    """Welford over the edges in their given order; out is (N, 4F): mean, max, min, std."""
    N, F = x.shape
    n = np.zeros(N)
    m2 = np.zeros((N, F))
    for t in range(N):
        for f in range(F):
            out[t, 2 * F + f] = 1e30
    for e in range(src.shape[0]):
        s, t = src[e], dst[e]
        n[t] += 1.0
        for f in range(F):
            v = x[s, f]
            d = v - out[t, f]
            out[t, f] += d / n[t]
            m2[t, f] += d * (v - out[t, f])
            if v > out[t, F + f]:
                out[t, F + f] = v
            if v < out[t, 2 * F + f]:
                out[t, 2 * F + f] = v
    for t in range(N):
        for f in range(F):
            if n[t] == 0.0:
                out[t, 2 * F + f] = 0.0
            out[t, 3 * F + f] = math.sqrt(m2[t, f] / max(n[t], 1.0) + eps)
    return n

class ModelNew(nn.Module):
    """One pass over the edges (Welford), then one matmul."""

    def __init__(self, f_in, f_out, avg_log_deg):
        super().__init__()
        self.delta, self.eps = avg_log_deg, 1e-5
        self.lin = nn.Linear(12 * f_in, f_out)

    @torch.no_grad()
    def forward(self, x, edge_index):
        N, Fx = x.shape
        out = np.zeros((N, 4 * Fx))
        e = edge_index.cpu().numpy()
        n = _agg(x.detach().double().cpu().numpy(), e[0], e[1], out, self.eps)
        agg = torch.from_numpy(out)
        s = (torch.from_numpy(n).clamp(min=1) + 1).log()[:, None] / self.delta
        h = torch.cat((agg, agg * s, agg / s), 1).to(x.dtype)
        return self.lin(h)
