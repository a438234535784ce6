import math
import torch
import torch.nn as nn


class Model(nn.Module):
    """Causal sliding-window attention with grouped KV heads and ALiBi.

    q: (B, heads, T, D); k, v: (B, kv_heads, S, D) with S >= T (a KV cache:
    query i sits at absolute position S - T + i). Query at position p sees keys
    j with p - window < j <= p.
    """

    def __init__(self, heads, kv_heads, window):
        super().__init__()
        self.heads = heads
        self.kv_heads = kv_heads
        self.window = window
        self.register_buffer(
            "slopes", torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]))

    def forward(self, q, k, v):
        T, S, D = q.shape[2], k.shape[2], q.shape[3]
        rep = self.heads // self.kv_heads
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)
        pos = torch.arange(S - T, S)[:, None]
        key = torch.arange(S)[None, :]
        dist = pos - key
        s = q @ k.transpose(2, 3) / math.sqrt(D)
        s = s - self.slopes[:, None, None] * dist
        s = s.masked_fill((dist < 0) | (dist >= self.window), float("-inf"))
        return torch.softmax(s, dim=-1) @ v


batch = 2
heads = 8
kv_heads = 2
q_len = 70
kv_len = 96
head_dim = 32
window = 24


def get_inputs():
    return [torch.randn(batch, heads, q_len, head_dim),
            torch.randn(batch, kv_heads, kv_len, head_dim),
            torch.randn(batch, kv_heads, kv_len, head_dim)]


def get_init_inputs():
    return [heads, kv_heads, window]
