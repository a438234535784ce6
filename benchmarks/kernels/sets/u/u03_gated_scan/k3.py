import numba
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@numba.njit
def _scan(x, g, rs, h0, lam, c, y, hl):
    B, T, D = x.shape
    for b in range(B):
        for d in range(D):
            l = lam[d]
            sp = max(l, 0.0) + np.log1p(np.exp(-abs(l)))
            h = float(h0[b, d])
            for t in range(T):
                xv = float(x[b, t, d])
                if rs[b, t]:
                    h = xv
                else:
                    z = float(g[b, t, d])
                    if z >= 0.0:
                        s = 1.0 / (1.0 + np.exp(-z))
                    else:
                        e = np.exp(z)
                        s = e / (1.0 + e)
                    la = -c * sp * s
                    h = np.exp(la) * h + np.sqrt(-np.expm1(2.0 * la)) * xv
                y[b, t, d] = h
            hl[b, d] = h


class ModelNew(nn.Module):
    """One loop over time per channel with the state in float64."""

    def __init__(self, dim, c):
        super().__init__()
        self.c = c
        self.lam = nn.Parameter(torch.linspace(-6.0, -3.0, dim))

    @torch.no_grad()
    def forward(self, x, gate, reset, h0):
        y = np.empty(x.shape, np.float32)
        hl = np.empty(h0.shape, np.float32)
        _scan(x.float().numpy(), gate.numpy(), reset.numpy(), h0.numpy(),
              self.lam.detach().double().numpy(), float(self.c), y, hl)
        return torch.from_numpy(y).to(x.dtype), torch.from_numpy(hl)
