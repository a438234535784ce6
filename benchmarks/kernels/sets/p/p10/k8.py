"""Sliding-window GQA with sinks; the two attention GEMMs run on bf16 tensor cores, softmax in fp32."""
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
        q, k, v = (t.to(torch.bfloat16) for t in (q, k, v))
        q = q.reshape(B, G, H // G, S, D)
        s = torch.matmul(q, k.transpose(-1, -2).unsqueeze(2)).float() / math.sqrt(D)
        i = torch.arange(S, device=x.device)
        gap = i[:, None] - i[None, :]
        s = s.masked_fill((gap < 0) | (gap >= self.window), float("-inf"))
        sink = self.sinks.view(1, G, H // G, 1, 1).expand(B, -1, -1, S, 1)
        p = torch.cat([s, sink], dim=-1).softmax(-1)[..., :S].to(torch.bfloat16)
        o = torch.matmul(p, v.unsqueeze(2)).to(x.dtype)
        return self.o_proj(o.reshape(B, H, S, D).transpose(1, 2).reshape(B, S, H * D))
