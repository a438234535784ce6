import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _pool(xp, k, s, d, out):
    planes, OH, OW = out.shape
    for c in prange(planes):
        for oh in range(OH):
            for ow in range(OW):
                m = xp[c, oh * s, ow * s]
                for i in range(k):
                    for j in range(k):
                        v = xp[c, oh * s + i * d, ow * s + j * d]
                        if v > m or np.isnan(v):
                            m = v
                out[c, oh, ow] = m


class ModelNew(nn.Module):
    """Pads once with -inf so that the inner loops have no bounds checks."""

    def __init__(self, kernel_size: int, stride: int, padding: int, dilation: int):
        super().__init__()
        self.k, self.s, self.p, self.d = kernel_size, stride, padding, dilation

    def forward(self, x):
        n, c, h, w = x.shape
        k, s, p, d = self.k, self.s, self.p, self.d
        padded = np.full((n * c, h + 2 * p + d * k, w + 2 * p + d * k), -np.inf, dtype=x.detach().numpy().dtype)
        padded[:, p:p + h, p:p + w] = x.detach().numpy().reshape(n * c, h, w)
        oh = (h + 2 * p - k) // s + 1
        ow = (w + 2 * p - k) // s + 1
        out = np.empty((n * c, oh, ow), padded.dtype)
        _pool(padded, k, s, d, out)
        return torch.from_numpy(out).view(n, c, oh, ow)
