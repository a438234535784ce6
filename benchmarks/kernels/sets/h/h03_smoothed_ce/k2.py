import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _rows(x, y, w, ignore, eps, num, den):
    n, c = x.shape
    for i in prange(n):
        t = y[i]
        if t == ignore:
            num[i] = 0.0
            den[i] = 0.0
        else:
            m = np.float64(x[i, 0])
            for j in range(1, c):
                m = max(m, np.float64(x[i, j]))
            s = 0.0
            for j in range(c):
                s += math.exp(x[i, j] - m)
            lse = m + math.log(s)
            sm = 0.0
            for j in range(c):
                sm += w[j] * (lse - x[i, j])
            num[i] = (1.0 - eps) * w[t] * (lse - x[i, t]) + eps / c * sm
            den[i] = w[t]


class ModelNew(nn.Module):
    def __init__(self, classes, ignore_index=-100, smoothing=0.1):
        super().__init__()
        self.classes = classes
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.register_buffer("class_weight", torch.linspace(0.5, 2.0, classes))

    def forward(self, logits, target):
        x = logits.detach().contiguous().numpy()
        y = target.contiguous().numpy()
        num = np.empty(len(y), dtype=np.float64)
        den = np.empty(len(y), dtype=np.float64)
        _rows(x, y, self.class_weight.numpy(), self.ignore_index, self.smoothing, num, den)
        d = den.sum()
        value = num.sum() / d if d > 0 else float("nan")
        return torch.tensor(value, dtype=logits.dtype)
