import math

import torch
import torch.nn as nn


class _WinAttn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, slopes, window, scale):
        b, h, t, d = q.shape
        rep = h // k.shape[1]
        idx = torch.arange(t)
        dist = idx[:, None] - idx[None, :]
        bad = (dist < 0) | (dist >= window)
        o = torch.empty(q.shape, dtype=q.dtype)
        ps = torch.empty(b, h, t, t, dtype=q.dtype)
        for i in range(h):
            g = i // rep
            s = (q[:, i] @ k[:, g].transpose(1, 2)) * scale - slopes[i] * dist
            s = s.masked_fill(bad, float("-inf"))
            p = torch.exp(s - s.amax(-1, keepdim=True))
            p = p / p.sum(-1, keepdim=True)
            ps[:, i] = p
            o[:, i] = p @ v[:, g]
        ctx.save_for_backward(q, k, v, ps)
        ctx.scale = scale
        return o

    @staticmethod
    def backward(ctx, go):
        q, k, v, ps = ctx.saved_tensors
        h = q.shape[1]
        rep = h // k.shape[1]
        gq, gk, gv = torch.empty_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for i in range(h):
            g = i // rep
            p = ps[:, i]
            gv[:, g] += p.transpose(1, 2) @ go[:, i]
            dp = go[:, i] @ v[:, g].transpose(1, 2)
            ds = p * (dp - (p * dp).sum(-1, keepdim=True)) * ctx.scale
            gq[:, i] = ds @ k[:, g]
            gk[:, g] += ds.transpose(1, 2) @ q[:, i]
        return gq, gk, gv, None, None, None


class ModelNew(nn.Module):
    def __init__(self, n_heads, n_kv, head_dim, window):
        super().__init__()
        self.n_heads, self.n_kv, self.head_dim, self.window = n_heads, n_kv, head_dim, window
        i = torch.arange(1, n_heads + 1, dtype=torch.float32)
        self.register_buffer("slopes", torch.pow(2.0, -8.0 * i / n_heads))

    def forward(self, q, k, v):
        return _WinAttn.apply(q, k, v, self.slopes, self.window, 1.0 / math.sqrt(self.head_dim))
