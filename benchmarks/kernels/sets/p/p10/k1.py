"""Sliding-window GQA with sinks: blockwise online softmax over exactly the key blocks a query block can
see. The sink enters as the initial state (max = sink, sum = 1)."""
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


BQ = 16
BK = 16


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
        q = q.reshape(B, G, H // G, S, D) * D ** -0.5
        sink = self.sinks.view(1, G, H // G, 1)
        idx = torch.arange(S, device=x.device)
        blocks = []
        for q0 in range(0, S, BQ):
            q1 = min(q0 + BQ, S)
            m = sink.expand(B, -1, -1, q1 - q0)
            l = torch.ones_like(m)
            acc = x.new_zeros(B, G, H // G, q1 - q0, D)
            lo = max(0, q0 - self.window + 1) // BK * BK
            for k0 in range(lo, q1, BK):
                k1 = min(k0 + BK, S)
                s = torch.einsum("bgrqd,bgkd->bgrqk", q[..., q0:q1, :], k[:, :, k0:k1])
                qi, ki = idx[q0:q1, None], idx[None, k0:k1]
                s = s.masked_fill((ki > qi) | (ki <= qi - self.window), float("-inf"))
                m_new = torch.maximum(m, s.amax(-1))
                p = torch.exp(s - m_new[..., None])
                a = torch.exp(m - m_new)
                l = l * a + p.sum(-1)
                acc = acc * a[..., None] + torch.einsum("bgrqk,bgkd->bgrqd", p, v[:, :, k0:k1])
                m = m_new
            blocks.append(acc / l[..., None])
        out = torch.cat(blocks, 3).reshape(B, H, S, D).transpose(1, 2).reshape(B, S, H * D)
        return self.o_proj(out)
