import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _loss(x, y, w, ignore, eps, acc):
    n, c = x.shape
    for i in prange(n):
        t = y[i]
        if t != ignore:
            num = acc[0]
            den = acc[1]
            m = np.float64(x[i, 0])
            for j in range(1, c):
                m = max(m, np.float64(x[i, j]))
            s = 0.0
            for j in range(c):
                s += math.exp(x[i, j] - m)
            lse = m + math.log(s)
            num += (1.0 - eps) * w[t] * (lse - x[i, t])
            for j in range(c):
                num += eps / c * w[j] * (lse - x[i, j])
            acc[0] = num
            acc[1] = den + w[t]


class ModelNew(nn.Module):
    def __init__(self, classes, ignore_index=-100, smoothing=0.1):
        super().__init__()
        self.classes = classes
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.register_buffer("class_weight", torch.linspace(0.5, 2.0, classes))

    def forward(self, logits, target):
        acc = np.zeros(2, dtype=np.float64)
        _loss(logits.detach().contiguous().numpy(), target.contiguous().numpy(),
              self.class_weight.numpy(), self.ignore_index, self.smoothing, acc)
        value = acc[0] / acc[1] if acc[1] > 0 else float("nan")
        return torch.tensor(value, dtype=logits.dtype)
