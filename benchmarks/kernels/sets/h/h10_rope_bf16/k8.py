import math
import numpy as np
import torch
from numba import njit, prange


@njit(parallel=True)
def _rope(x, pos, rot, base, out):
    B, T, H, D = x.shape
    half = rot // 2
    for job in prange(B * T):
        b = job // T
        t = job % T
        for i in range(half):
            ang = pos[b, t] * base ** (-2.0 * i / rot)
            c = math.cos(ang)
            s = math.sin(ang)
            for h in range(H):
                lo = np.float64(x[b, t, h, i])
                hi = np.float64(x[b, t, h, i + half])
                out[b, t, h, i] = lo * c - hi * s
                out[b, t, h, i + half] = hi * c + lo * s
        for h in range(H):
            for d in range(rot, D):
                out[b, t, h, d] = x[b, t, h, d]


def custom_kernel(data):
    x, positions, rot, base = data
    src = x.float().contiguous().numpy()
    out = np.empty_like(src)
    _rope(src, positions.contiguous().numpy(), rot, float(base), out)
    return torch.from_numpy(out).to(torch.bfloat16)
