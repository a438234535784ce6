import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit(fastmath=True)
def _lamb(p, g, m, v, po, mo, vo, lr, b1, b2, eps, wd, cap, c1, c2):
    L, N = p.shape
    u = np.empty(N, p.dtype)
    for l in range(L):
        pp = 0.0
        uu = 0.0
        for i in range(N):
            mi = b1 * m[l, i] + (1.0 - b1) * g[l, i]
            vi = b2 * v[l, i] + (1.0 - b2) * g[l, i] * g[l, i]
            mo[l, i] = mi
            vo[l, i] = vi
            w = (mi / c1) / (math.sqrt(vi / c2) + eps) + wd * p[l, i]
            u[i] = w
            pp += p[l, i] * p[l, i]
            uu += w * w
        r = math.sqrt(pp) / (math.sqrt(uu) + 1e-12)
        if r > cap:
            r = cap
        for i in range(N):
            po[l, i] = p[l, i] - lr * r * u[i]

class ModelNew(nn.Module):
    def __init__(self, lr, beta1, beta2, eps, weight_decay, max_trust):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps = lr, beta1, beta2, eps
        self.wd, self.max_trust = weight_decay, max_trust

    @torch.no_grad()
    def forward(self, p, g, m, v, step):
        t = int(step) + 1
        po, mo, vo = (torch.empty(p.shape, dtype=p.dtype) for _ in range(3))
        _lamb(*(x.detach().numpy() for x in (p, g, m, v)), po.numpy(), mo.numpy(), vo.numpy(), self.lr, self.b1,
              self.b2, self.eps, self.wd, self.max_trust, 1.0 - self.b1 ** t, 1.0 - self.b2 ** t)
        return po, mo, vo
