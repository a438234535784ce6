import torch
import torch.nn as nn
import torch.nn.functional as F

import numpy as np
from numba import njit


@njit
def _attn(q, k, v, lens, cap, scale, o):
    B, H, T, hd = q.shape
    w = np.empty(T, np.float64)
    acc = np.empty(hd, np.float64)
    for b in range(B):
        n = lens[b]
        for h in range(H):
            for i in range(T):
                m = -np.inf
                for j in range(n):
                    d = 0.0
                    for e in range(hd):
                        d += np.float64(q[b, h, i, e]) * k[b, h, j, e]
                    d = cap * np.tanh(d * scale / cap)
                    w[j] = d
                    if d > m:
                        m = d
                z = 0.0
                for e in range(hd):
                    acc[e] = 0.0
                for j in range(n):
                    p = np.exp(w[j] - m)
                    z += p
                    for e in range(hd):
                        acc[e] += p * v[b, h, j, e]
                for e in range(hd):
                    o[b, h, i, e] = acc[e] / z


class _Core(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, lengths, cap):
        ctx.save_for_backward(q, k, v, lengths)
        ctx.cap = cap
        o = np.empty(tuple(q.shape), dtype=q.detach().numpy().dtype)
        _attn(q.detach().contiguous().numpy(), k.detach().contiguous().numpy(),
              v.detach().contiguous().numpy(), lengths.contiguous().numpy(), float(cap),
              q.shape[-1] ** -0.5, o)
        return torch.from_numpy(o)

    @staticmethod
    def backward(ctx, g):
        q, k, v, lengths = ctx.saved_tensors
        cap = ctx.cap
        scale = q.shape[-1] ** -0.5
        T = q.shape[2]
        t = torch.tanh((q @ k.transpose(-1, -2)) * scale / cap)
        dead = (torch.arange(T)[None, :] >= lengths[:, None])[:, None, None, :]
        p = torch.softmax((cap * t).masked_fill(dead, float("-inf")), dim=-1)
        dv = p.transpose(-1, -2) @ g
        dp = g @ v.transpose(-1, -2)
        ds = p * (dp - (dp * p).sum(-1, keepdim=True))
        ds = ds * (1 - t * t) * scale
        return ds @ k, ds.transpose(-1, -2) @ q, dv, None, None


class ModelNew(nn.Module):
    def __init__(self, dim, n_heads, softcap):
        super().__init__()
        self.n_heads = n_heads
        self.softcap = softcap
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, lengths):
        B, T, D = x.shape
        H = self.n_heads
        q, k, v = self.qkv(x).view(B, T, 3, H, D // H).permute(2, 0, 3, 1, 4)
        y = _Core.apply(q, k, v, lengths, self.softcap)
        return self.out(y.transpose(1, 2).reshape(B, T, D))
