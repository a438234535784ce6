import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _pool(x, k, s, p, d, out):
    planes, H, W = x.shape
    _, OH, OW = out.shape
    for c in prange(planes):
        for oh in range(OH):
            h0 = oh * s - p
            h1 = min(h0 + (k - 1) * d + 1, H - 1)
            while h0 < 0:
                h0 += d
            for ow in range(OW):
                w0 = ow * s - p
                w1 = min(w0 + (k - 1) * d + 1, W - 1)
                while w0 < 0:
                    w0 += d
                m = -np.inf
                for ih in range(h0, h1, d):
                    for iw in range(w0, w1, d):
                        v = x[c, ih, iw]
                        if v > m or v != v:
                            m = v
                out[c, oh, ow] = m


class ModelNew(nn.Module):
    def __init__(self, kernel_size: int, stride: int, padding: int, dilation: int):
        super().__init__()
        self.k, self.s, self.p, self.d = kernel_size, stride, padding, dilation

    def forward(self, x):
        n, c, h, w = x.shape
        span = self.d * (self.k - 1) + 1
        oh = (h + 2 * self.p - span) // self.s + 1
        ow = (w + 2 * self.p - span) // self.s + 1
        xn = np.ascontiguousarray(x.detach().numpy()).reshape(n * c, h, w)
        out = np.empty((n * c, oh, ow), xn.dtype)
        _pool(xn, self.k, self.s, self.p, self.d, out)
        return torch.from_numpy(out.reshape(n, c, oh, ow))
