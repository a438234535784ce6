import math

import torch
import torch.nn as nn


class _Base(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, window):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.window = window
        self.head_dim = d_model // n_heads
        self.wq = nn.Linear(d_model, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, d_model, bias=False)

    def heads(self, x):
        # q: (B, Hkv, G, T, d)   k, v: (B, Hkv, T, d)
        B, T, _ = x.shape
        d, n = self.head_dim, self.n_kv_heads
        q = (x @ self.wq.weight.t()).view(B, T, n, -1, d).permute(0, 2, 3, 1, 4)
        k = (x @ self.wk.weight.t()).view(B, T, n, d).transpose(1, 2)
        v = (x @ self.wv.weight.t()).view(B, T, n, d).transpose(1, 2)
        return q, k, v

    def finish(self, o, lengths):
        # o: (B, Hkv, G, T, d)
        B, n, G, T, d = o.shape
        o = o.permute(0, 3, 1, 2, 4).reshape(B, T, n * G * d)
        y = o @ self.wo.weight.t()
        real = torch.arange(T, device=o.device)[None, :] < lengths[:, None]
        return torch.where(real[:, :, None], y, torch.zeros((), dtype=y.dtype, device=y.device))


import torch.nn.functional as F


class ModelNew(_Base):
    """Banded attention: every query gathers only its own window of keys."""

    def forward(self, x, lengths):
        q, k, v = self.heads(x)
        B, n, G, T, d = q.shape
        W = min(self.window, T)
        kw = F.pad(k, (0, 0, W - 1, 0)).unfold(2, W, 1)        # (B, n, T, d, W)
        vw = F.pad(v, (0, 0, W - 1, 0)).unfold(2, W, 1)
        j = torch.arange(T, device=x.device)[:, None] - (W - 1) + torch.arange(W, device=x.device)
        ok = (j >= 0)[None] & (j[None] < lengths[:, None, None])
        ok[:, :, W - 1] = True                                  # padding rows: keep the softmax finite
        s = torch.einsum("bngtd,bntdw->bngtw", q, kw) * d ** -0.5
        s = torch.where(ok[:, None, None], s, torch.full_like(s, float("-inf")))
        e = torch.exp(s - s.detach().amax(-1, keepdim=True))
        o = torch.einsum("bngtw,bntdw->bngtd", e, vw) / e.sum(-1, keepdim=True)
        return self.finish(o, lengths)
