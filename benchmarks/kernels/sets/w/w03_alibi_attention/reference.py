"""Causal multi-head attention with ALiBi biases and key lengths.

q: (B, H, T, D); k, v: (B, H, S, D), float32, any strides, S >= T (a prefix of S - T
keys may come from a cache): query row i stands at key position S - T + i.  lengths:
(B,), int64, from 0 to S: in batch row b only keys 0 .. lengths[b]-1 exist.  A query
sees the existing keys at positions not after its own.  Logits are q.k / sqrt(D) minus
slope_h * (query position - key position); softmax over the visible keys; a query that
sees no key gives a zero row.

Slopes as in the ALiBi paper: for H a power of two slope_h = 2^(-8 (h+1) / H); for any
other H the slopes of the next lower power of two P come first, followed by the 1st,
3rd, 5th ... slope of 2P heads.  Logits may be large (up to a few hundred).  Gradients with
respect to q, k and v are needed.
"""
import math
import torch
import torch.nn as nn


def _pow2(n):
    return [2.0 ** (-8.0 * (i + 1) / n) for i in range(n)]


def slopes(n):
    p = 2 ** int(math.floor(math.log2(n)))
    s = _pow2(p)
    if p < n:
        s = s + _pow2(2 * p)[0::2][: n - p]
    return s


class Model(nn.Module):
    def __init__(self, num_heads):
        super().__init__()
        self.register_buffer("slopes", torch.tensor(slopes(num_heads)), persistent=False)

    def forward(self, q, k, v, lengths):
        T, S, D = q.shape[2], k.shape[2], q.shape[3]
        qp = torch.arange(S - T, S, device=q.device)
        kp = torch.arange(S, device=q.device)
        dist = (qp[:, None] - kp[None, :]).to(q.dtype)
        att = q @ k.transpose(-1, -2) / math.sqrt(D) - self.slopes.view(1, -1, 1, 1) * dist
        vis = (kp[None, :] <= qp[:, None])[None, None] & (kp < lengths[:, None])[:, None, None, :]
        att = att.masked_fill(~vis, -1e30)
        p = torch.softmax(att, dim=-1) * vis
        return p @ v


def get_inputs():
    B, H, T, S, D = 2, 4, 64, 64, 16
    q = torch.randn(B, H, T, D)
    k = torch.randn(B, H, S, D)
    v = torch.randn(B, H, S, D)
    return [q, k, v, torch.tensor([64, 50])]


def get_init_inputs():
    return [4]
