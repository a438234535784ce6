import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _conv(x, wt, b, s, p, d, g, out):
    n, c, h, w = x.shape
    co, cg, k, _ = wt.shape
    oh, ow = out.shape[2], out.shape[3]
    og = co // g
    for job in prange(n * co):
        i = job // co
        o = job % co
        c0 = (o // og) * cg
        for r in range(oh):
            for q in range(ow):
                acc = np.float64(b[o])
                for ci in range(cg):
                    for u in range(k):
                        yy = r * s - p + u * d
                        if yy < 0 or yy >= h:
                            continue
                        for v in range(k):
                            xx = q * s - p + v * d
                            if 0 <= xx and xx < w:
                                acc += np.float64(x[i, c0 + ci, yy, xx]) * wt[o, ci, u, v]
                out[i, o, r, q] = 0.5 * acc * (1.0 + math.erf(acc / math.sqrt(2.0)))


class ModelNew(nn.Module):
    def __init__(self, cin, cout, kernel, stride, padding, dilation, groups):
        super().__init__()
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self.weight = nn.Parameter(torch.randn(cout, cin // groups, kernel, kernel) * 0.2)
        self.bias = nn.Parameter(torch.randn(cout) * 0.1)

    def forward(self, x):
        n, c, h, w = x.shape
        co, cg, k, _ = self.weight.shape
        s, p, d = self.stride, self.padding, self.dilation
        oh = (h + 2 * p - d * (k - 1) - 1) // s + 1
        ow = (w + 2 * p - d * (k - 1) - 1) // s + 1
        out = np.empty((n, co, oh, ow), dtype=np.float32)
        _conv(x.detach().contiguous().numpy(), self.weight.detach().contiguous().numpy(),
              self.bias.detach().numpy(), s, p, d, self.groups, out)
        return torch.from_numpy(out)
