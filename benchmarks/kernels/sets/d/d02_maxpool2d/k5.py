import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def maxpool2d(x, k, s, p, d, out):
    planes, H, W = x.shape
    _, OH, OW = out.shape
    for c in prange(planes):
        for oh in range(OH):
            for ow in range(OW):
                m = x.dtype.type(0)
                for i in range(k):
                    ih = oh * s - p + i * d
                    if ih < 0 or ih >= H:
                        continue
                    for j in range(k):
                        iw = ow * s - p + j * d
                        if iw < 0 or iw >= W:
                            continue
                        v = x[c, ih, iw]
                        if v > m or np.isnan(v):
                            m = v
                out[c, oh, ow] = m


class ModelNew(nn.Module):
    def __init__(self, kernel_size: int, stride: int, padding: int, dilation: int):
        super().__init__()
        self.k, self.s, self.p, self.d = kernel_size, stride, padding, dilation

    def forward(self, x):
        n, c, h, w = x.shape
        oh = (h + 2 * self.p - self.d * (self.k - 1) - 1) // self.s + 1
        ow = (w + 2 * self.p - self.d * (self.k - 1) - 1) // self.s + 1
        out = torch.empty(n * c, oh, ow, dtype=x.dtype)
        maxpool2d(x.detach().reshape(n * c, h, w).numpy(), self.k, self.s, self.p, self.d, out.numpy())
        return out.view(n, c, oh, ow)
