import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """Causal sliding-window attention with ALiBi and grouped key/value heads."""

    def __init__(self, n_heads, n_kv, head_dim, window):
        super().__init__()
        self.n_heads, self.n_kv, self.head_dim, self.window = n_heads, n_kv, head_dim, window
        i = torch.arange(1, n_heads + 1, dtype=torch.float32)
        self.register_buffer("slopes", torch.pow(2.0, -8.0 * i / n_heads))

    def forward(self, q, k, v):
        rep = self.n_heads // self.n_kv
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)
        t = q.shape[2]
        s = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        dist = torch.arange(t).view(-1, 1) - torch.arange(t).view(1, -1)
        s = s - self.slopes.view(1, -1, 1, 1) * dist
        s = s.masked_fill((dist < 0) | (dist >= self.window), float("-inf"))
        return torch.softmax(s, dim=-1) @ v


B = 1
N_HEADS = 8
N_KV = 2
T = 150
HEAD_DIM = 32
WINDOW = 64


def get_inputs():
    return [torch.randn(B, N_HEADS, T, HEAD_DIM),
            torch.randn(B, N_KV, T, HEAD_DIM),
            torch.randn(B, N_KV, T, HEAD_DIM)]


def get_init_inputs():
    return [N_HEADS, N_KV, HEAD_DIM, WINDOW]
