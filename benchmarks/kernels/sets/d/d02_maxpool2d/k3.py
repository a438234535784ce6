import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def pool(src, H, W, k, s, p, d, OH, OW, dst):
    planes = dst.shape[0]
    for c in prange(planes):
        base = c * H * W
        for oh in range(OH):
            for ow in range(OW):
                m = -np.inf
                for i in range(k):
                    ih = oh * s - p + i * d
                    if 0 <= ih < H:
                        for j in range(k):
                            iw = ow * s - p + j * d
                            if 0 <= iw < W:
                                v = src[base + ih * W + iw]
                                if v > m or v != v:
                                    m = v
                dst[c, oh, ow] = m


class ModelNew(nn.Module):
    def __init__(self, kernel_size: int, stride: int, padding: int, dilation: int):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation

    def _size(self, n):
        return (n + 2 * self.padding - self.dilation * (self.kernel_size - 1) - 1) // self.stride + 1

    def forward(self, x):
        N, C, H, W = x.shape
        OH, OW = self._size(H), self._size(W)
        # flat view of the storage, no copy
        flat = torch.as_strided(x.detach(), (x.numel(),), (1,)).numpy()
        out = np.empty((N * C, OH, OW), dtype=flat.dtype)
        pool(flat, H, W, self.kernel_size, self.stride, self.padding, self.dilation, OH, OW, out)
        return torch.from_numpy(out).view(N, C, OH, OW)
