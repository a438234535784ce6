import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(inline="always")
def _mx(a, b):
    if b > a or b != b:
        return b
    return a


@njit(parallel=True)
def _separable(x, k, s, p, d, out):
    planes, H, W = x.shape
    _, OH, OW = out.shape
    for c in prange(planes):
        # horizontal pass into a private strip, then vertical pass
        strip = np.empty((H, OW), x.dtype)
        for h in range(H):
            for ow in range(OW):
                m = x.dtype.type(-np.inf)
                for j in range(k):
                    iw = ow * s - p + j * d
                    if iw >= 0 and iw < W:
                        m = _mx(m, x[c, h, iw])
                strip[h, ow] = m
        for oh in range(OH):
            for ow in range(OW):
                m = x.dtype.type(-np.inf)
                for i in range(k):
                    ih = oh * s - p + i * d
                    if ih >= 0 and ih < H:
                        m = _mx(m, strip[ih, ow])
                out[c, oh, ow] = m


class ModelNew(nn.Module):
    def __init__(self, kernel_size: int, stride: int, padding: int, dilation: int):
        super().__init__()
        self.args = (kernel_size, stride, padding, dilation)

    def forward(self, x):
        k, s, p, d = self.args
        n, c, h, w = x.shape
        span = d * (k - 1) + 1
        oh = (h + 2 * p - span) // s + 1
        ow = (w + 2 * p - span) // s + 1
        xn = x.detach().contiguous().view(n * c, h, w).numpy()
        out = np.empty((n * c, oh, ow), dtype=xn.dtype)
        _separable(xn, k, s, p, d, out)
        return torch.from_numpy(out).view(n, c, oh, ow)
