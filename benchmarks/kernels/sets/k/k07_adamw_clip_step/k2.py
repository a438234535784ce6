import math

import numba
import numpy as np
import torch
import torch.nn as nn


@numba.njit
def _sumsq(g):
    lanes = np.zeros(8)
    for i in range(g.size):
        x = np.float64(g[i])
        lanes[i & 7] += x * x
    for width in (4, 2, 1):
        for j in range(width):
            lanes[j] += lanes[j + width]
    return lanes[0]


@numba.njit
def _update(p, g, m, v, po, mo, vo, coef, lr, b1, b2, eps, wd, c1, c2):
    for i in range(p.size):
        gi = g[i] * coef
        mi = b1 * m[i] + (1.0 - b1) * gi
        vi = b2 * v[i] + (1.0 - b2) * gi * gi
        mo[i] = mi
        vo[i] = vi
        po[i] = p[i] * (1.0 - lr * wd) - lr * (mi / c1) / (math.sqrt(vi / c2) + eps)


class ModelNew(nn.Module):
    def __init__(self, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, max_norm=1.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm

    @torch.no_grad()
    def forward(self, param, grad, exp_avg, exp_avg_sq, step):
        p, g, m, v = (np.ascontiguousarray(t.detach().cpu().numpy()).reshape(-1)
                      for t in (param, grad, exp_avg, exp_avg_sq))
        po, mo, vo = np.empty_like(p), np.empty_like(m), np.empty_like(v)
        coef = self.max_norm / (math.sqrt(_sumsq(g)) + 1e-6)
        if coef > 1.0:
            coef = 1.0
        t = int(step)
        _update(p, g, m, v, po, mo, vo, coef, self.lr, self.beta1, self.beta2, self.eps,
                self.weight_decay, 1.0 - self.beta1 ** t, 1.0 - self.beta2 ** t)
        return tuple(torch.from_numpy(a).view(param.shape) for a in (po, mo, vo))
