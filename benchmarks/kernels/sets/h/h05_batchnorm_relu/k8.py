import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _bn(x, w, b, rm, rv, training, momentum, eps, out):
    n, c, l = x.shape
    for ch in prange(c):
        if training:
            mean = 0.0
            m2 = 0.0
            cnt = 0
            for i in range(n):
                for p in range(l):
                    cnt += 1
                    v = np.float64(x[i, ch, p])
                    d = v - mean
                    mean += d / cnt
                    m2 += d * (v - mean)
            var = m2 / cnt
            rm[ch] = (1.0 - momentum) * rm[ch] + momentum * mean
            rv[ch] = (1.0 - momentum) * rv[ch] + momentum * m2 / (cnt - 1)
        else:
            mean = np.float64(rm[ch])
            var = np.float64(rv[ch])
        inv = w[ch] / math.sqrt(var + eps)
        for i in range(n):
            for p in range(l):
                y = (np.float64(x[i, ch, p]) - mean) * inv + b[ch]
                out[i, ch, p] = max(y, 0.0)


class ModelNew(nn.Module):
    def __init__(self, channels, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(1.0 + 0.2 * torch.randn(channels))
        self.bias = nn.Parameter(0.3 * torch.randn(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x):
        flat = x.detach().reshape(x.shape[0], x.shape[1], -1).contiguous().numpy()
        out = np.empty_like(flat)
        _bn(flat, self.weight.detach().numpy(), self.bias.detach().numpy(),
            self.running_mean.numpy(), self.running_var.numpy(),
            self.training, self.momentum, self.eps, out)
        return torch.from_numpy(out).reshape(x.shape)
