"""Sliding-window GQA with sinks: banded block attention. Each block of queries attends to its own block and
the one before it, so scores are (S/32) tiles of 32 x 64."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

def _tables(positions, head_dim, base, dtype):
    half = head_dim // 2
    freq = base ** (-torch.arange(half, device=positions.device, dtype=torch.float64) / half)
    ang = positions.to(torch.float64)[:, None, :, None] * freq
    return ang.cos().to(dtype), ang.sin().to(dtype)


def _rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


BLOCK = 32


class ModelNew(nn.Module):
    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int, head_dim: int, window: int,
                 rope_base: float = 10000.0):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.rope_base = rope_base
        self.q_proj = nn.Linear(d_model, n_heads * head_dim)
        self.k_proj = nn.Linear(d_model, n_kv_heads * head_dim)
        self.v_proj = nn.Linear(d_model, n_kv_heads * head_dim)
        self.o_proj = nn.Linear(n_heads * head_dim, d_model)
        self.sinks = nn.Parameter(torch.zeros(n_heads))

    def forward(self, x, positions):
        B, S, _ = x.shape
        H, G, D = self.n_heads, self.n_kv_heads, self.head_dim
        cos, sin = _tables(positions, D, self.rope_base, x.dtype)
        q = _rotate(self.q_proj(x).view(B, S, H, D).transpose(1, 2), cos, sin)
        k = _rotate(self.k_proj(x).view(B, S, G, D).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(B, S, G, D).transpose(1, 2)
        nb = -(-S // BLOCK)
        pad = nb * BLOCK - S
        q = F.pad(q, (0, 0, 0, pad)).view(B, G, H // G, nb, BLOCK, D)
        k = F.pad(k, (0, 0, BLOCK, pad))
        v = F.pad(v, (0, 0, BLOCK, pad))
        k2 = k.unfold(2, 2 * BLOCK, BLOCK).transpose(-1, -2)           # (B, G, nb, 2*BLOCK, D)
        v2 = v.unfold(2, 2 * BLOCK, BLOCK).transpose(-1, -2)
        s = torch.einsum("bgrnqd,bgnkd->bgrnqk", q, k2) * D ** -0.5
        qi = torch.arange(nb * BLOCK, device=x.device).view(nb, BLOCK, 1)
        ki = (torch.arange(nb, device=x.device)[:, None] * BLOCK - BLOCK
              + torch.arange(2 * BLOCK, device=x.device)).view(nb, 1, 2 * BLOCK)
        ok = (ki >= 0) & (ki <= qi) & (ki > qi - self.window)
        s = s.masked_fill(~ok, float("-inf"))
        sink = self.sinks.view(1, G, H // G, 1, 1, 1).expand(B, -1, -1, nb, BLOCK, 1)
        p = torch.cat([s, sink], -1).softmax(-1)[..., :-1]
        o = torch.einsum("bgrnqk,bgnkd->bgrnqd", p, v2).reshape(B, H, nb * BLOCK, D)[:, :, :S]
        return self.o_proj(o.transpose(1, 2).reshape(B, S, H * D))
