import math
import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _gru(x, h0, wi, wh, bi, bh, out, R, Z, Nn, HN):
    T, B, I = x.shape
    H = h0.shape[1]
    for b in prange(B):
        h = h0[b].copy()
        for t in range(T):
            for j in range(H):
                ar = 0.0
                az = 0.0
                an = 0.0
                for i in range(I):
                    v = x[t, b, i]
                    ar += v * wi[j, i]
                    az += v * wi[H + j, i]
                    an += v * wi[2 * H + j, i]
                hr = 0.0
                hz = 0.0
                hn = 0.0
                for i in range(H):
                    v = h[i]
                    hr += v * wh[j, i]
                    hz += v * wh[H + j, i]
                    hn += v * wh[2 * H + j, i]
                hn += bh[2 * H + j]
                r = 1.0 / (1.0 + math.exp(-(ar + bi[j] + hr + bh[j])))
                z = 1.0 / (1.0 + math.exp(-(az + bi[H + j] + hz + bh[H + j])))
                n = math.tanh(an + bi[2 * H + j] + r * hn)
                R[t, b, j] = r
                Z[t, b, j] = z
                Nn[t, b, j] = n
                HN[t, b, j] = hn
                out[t, b, j] = n + z * (h[j] - n)
            for j in range(H):
                h[j] = out[t, b, j]


class _GRU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, h0, wi, wh, bi, bh):
        T, B, I = x.shape
        H = h0.shape[1]
        out = torch.empty(T, B, H)
        bufs = [torch.empty(T, B, H) for _ in range(4)]
        args = [t.detach().contiguous().numpy() for t in (x, h0, wi, wh, bi, bh)]
        _gru(*args, out.numpy(), *[b.numpy() for b in bufs])
        ctx.save_for_backward(x, h0, wi, wh, out, *bufs)
        return out, out[-1].clone()

    @staticmethod
    def backward(ctx, go, gl):
        x, h0, wi, wh, out, R, Z, N, HN = ctx.saved_tensors
        T = x.shape[0]
        dh = gl.clone()
        gx = torch.empty_like(x)
        gwi = torch.zeros_like(wi)
        gwh = torch.zeros_like(wh)
        gbi = torch.zeros(wi.shape[0])
        gbh = torch.zeros(wi.shape[0])
        for t in range(T - 1, -1, -1):
            dh = dh + go[t]
            hp = out[t - 1] if t > 0 else h0
            r, z, n = R[t], Z[t], N[t]
            dn = dh * (1 - z) * (1 - n * n)
            dz = dh * (hp - n) * z * (1 - z)
            dr = dn * HN[t] * r * (1 - r)
            gi = torch.cat([dr, dz, dn], 1)
            gh = torch.cat([dr, dz, dn * r], 1)
            gx[t] = gi @ wi
            gwi += gi.t() @ x[t]
            gwh += gh.t() @ hp
            gbi += gi.sum(0)
            gbh += gh.sum(0)
            dh = dh * z + gh @ wh
        return gx, dh, gwi, gwh, gbi, gbh


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        s = hidden_size ** -0.5
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size).uniform_(-s, s))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size).uniform_(-s, s))
        self.bias_ih = nn.Parameter(torch.zeros(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.zeros(3 * hidden_size))
        self.hidden = hidden_size

    def forward(self, x, h0):
        return _GRU.apply(x, h0, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
