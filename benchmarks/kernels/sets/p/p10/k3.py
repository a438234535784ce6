"""Sliding-window GQA on top of scaled_dot_product_attention: the sink is one extra key of zeros whose
score is supplied by the additive mask and whose value is zero."""
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
        rep = H // G
        k = F.pad(k[:, :, None].expand(B, G, rep, S, D).reshape(B, H, S, D), (0, 0, 0, 1))
        v = F.pad(v[:, :, None].expand(B, G, rep, S, D).reshape(B, H, S, D), (0, 0, 0, 1))
        i = torch.arange(S, device=x.device)
        gap = i[:, None] - i[None, :]
        bias = torch.zeros(S, S, dtype=x.dtype, device=x.device)
        bias = bias.masked_fill((gap < 0) | (gap >= self.window), float("-inf"))
        bias = torch.cat([bias.expand(H, S, S), self.sinks.view(H, 1, 1).expand(H, S, 1)], -1)
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=bias[None].expand(B, -1, -1, -1))
        return self.o_proj(o.transpose(1, 2).reshape(B, S, H * D))
