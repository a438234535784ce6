import torch
import torch.nn as nn
import torch.nn.functional as F

import numpy as np
from numba import njit


@njit(error_model="numpy")
def _loss(x, bias, t, ign, ls, p):
    N, C = x.shape
    n = 0
    total = 0.0
    comp = 0.0
    for i in range(N):
        if t[i] == ign:
            for j in range(C):
                p[i, j] = 0.0
            continue
        n += 1
        m = -np.inf
        for j in range(C):
            v = np.float64(x[i, j]) + bias[j]
            p[i, j] = v
            if v > m:
                m = v
        s = 0.0
        lin = 0.0
        for j in range(C):
            v = p[i, j] - m
            lin += v
            e = np.exp(v)
            p[i, j] = e
            s += e
        hit = np.float64(x[i, t[i]]) + bias[t[i]] - m
        row = np.log(s) - (1.0 - ls) * hit - ls * lin / C
        for j in range(C):
            p[i, j] = p[i, j] / s - ls / C
        p[i, t[i]] -= 1.0 - ls
        y = row - comp
        tt = total + y
        comp = (tt - total) - y
        total = tt
    for i in range(N):
        for j in range(C):
            p[i, j] /= n
    return total / n


class _CE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, bias, target, ign, ls):
        x = np.ascontiguousarray(logits.detach().numpy())
        t = np.ascontiguousarray(target.numpy())
        p = np.empty(x.shape)
        loss = _loss(x, bias.detach().double().numpy(), t, ign, ls, p)
        ctx.p = torch.from_numpy(p)
        return torch.tensor(loss, dtype=logits.dtype)

    @staticmethod
    def backward(ctx, g):
        d = ctx.p * g
        return d.to(g.dtype), d.sum(0).to(g.dtype), None, None, None


class ModelNew(nn.Module):
    def __init__(self, classes, ignore_index, smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.class_bias = nn.Parameter(torch.zeros(classes))
    def forward(self, logits, target):
        return _CE.apply(logits, self.class_bias, target, self.ignore_index, self.smoothing)
