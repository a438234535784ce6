"""Sliding-window GQA with sinks, dense scores, KV heads expanded with repeat."""
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

    def forward(self, x, positions):
        B, S, _ = x.shape
        H, G, D = self.n_heads, self.n_kv_heads, self.head_dim
        cos, sin = _tables(positions, D, self.rope_base, x.dtype)
        q = _rotate(self.q_proj(x).view(B, S, H, D).transpose(1, 2), cos, sin)
        k = _rotate(self.k_proj(x).view(B, S, G, D).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(B, S, G, D).transpose(1, 2)
        k = k.repeat(1, H // G, 1, 1)
        v = v.repeat(1, H // G, 1, 1)
        s = torch.matmul(q, k.transpose(2, 3)).mul(D ** -0.5)
        i = torch.arange(S, device=x.device)
        hidden = torch.ones(S, S, dtype=torch.bool, device=x.device).tril().triu(1 - self.window).logical_not()
        s = s.masked_fill(hidden, float("-inf"))
        full = torch.cat([self.sinks.view(1, H, 1, 1).expand(B, H, S, 1), s], dim=-1)
        p = full.softmax(-1)[..., 1:]
        return self.o_proj((p @ v).transpose(1, 2).reshape(B, S, H * D))
