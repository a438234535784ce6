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


class _Attn(torch.autograd.Function):
    """Keeps only the row maximum and sum; probabilities are recomputed in the backward pass."""

    @staticmethod
    def forward(ctx, q, k, v, blocked, scale):
        s = (q @ k[:, :, None].transpose(-1, -2)) * scale
        s = s.masked_fill(blocked, float("-inf"))
        m = s.amax(-1, keepdim=True)
        p = torch.exp(s - m)
        l = p.sum(-1, keepdim=True)
        o = (p @ v[:, :, None]) / l
        ctx.save_for_backward(q, k, v, o, m, l, blocked)
        ctx.scale = scale
        return o

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, do):
        q, k, v, o, m, l, blocked = ctx.saved_tensors
        s = (q @ k[:, :, None].transpose(-1, -2)) * ctx.scale
        p = torch.exp(s.masked_fill(blocked, float("-inf")) - m) / l
        dv = (p.transpose(-1, -2) @ do).sum(2)
        dp = do @ v[:, :, None].transpose(-1, -2)
        ds = p * (dp - (do * o).sum(-1, keepdim=True))
        dq = (ds @ k[:, :, None]) * ctx.scale
        dk = (ds.transpose(-1, -2) @ q).sum(2)
        return dq, dk, dv, None, None


class ModelNew(_Base):
    def forward(self, x, lengths):
        q, k, v = self.heads(x)
        T = x.shape[1]
        i = torch.arange(T, device=x.device)
        off = i[:, None] - i[None, :]
        outside = (off < 0) | (off >= self.window)
        blocked = outside[None] | (i[None, None, :] >= lengths[:, None, None])
        blocked = blocked & (off != 0)[None]
        o = _Attn.apply(q, k, v, blocked[:, None, None], 1.0 / math.sqrt(self.head_dim))
        return self.finish(o, lengths)
