import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, n_heads, n_kv, head_dim, window):
        super().__init__()
        self.n_heads, self.n_kv, self.head_dim, self.window = n_heads, n_kv, head_dim, window
        i = torch.arange(1, n_heads + 1, dtype=torch.float32)
        self.register_buffer("slopes", torch.pow(2.0, -8.0 * i / n_heads))

    def forward(self, q, k, v):
        b, h, t, d = q.shape
        rep = h // self.n_kv
        pos = torch.arange(t)
        dist = pos[:, None] - pos[None, :]
        mask = (dist < 0) | (dist >= self.window)
        out = torch.empty(b, h, t, d, dtype=q.dtype)
        slope = 1.0
        for i in range(h):
            slope *= 0.5                      # geometric sequence, computed on the fly
            s = q[:, i] @ k[:, i // rep].transpose(-1, -2)
            s = s.mul(self.head_dim ** -0.5).sub(slope * dist).masked_fill(mask, float("-inf"))
            s = s - s.amax(-1, keepdim=True)
            e = s.exp()
            out[:, i] = (e @ v[:, i // rep]) / e.sum(-1, keepdim=True)
        return out
