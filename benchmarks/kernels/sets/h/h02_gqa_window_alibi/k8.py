import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, heads, kv_heads, window):
        super().__init__()
        self.heads = heads
        self.kv_heads = kv_heads
        self.window = window
        self.register_buffer(
            "slopes", torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]))

    def forward(self, q, k, v):
        B, H, T, D = q.shape
        S = k.shape[2]
        g = self.kv_heads
        r = H // g
        slopes = self.slopes.view(1, g, r, 1, 1)
        qg = q.reshape(B, g, r, T, D) * (D ** -0.5)
        pos = torch.arange(S - T, S).unsqueeze(1)
        m = torch.zeros(B, g, r, T, 1, dtype=q.dtype)
        l = torch.zeros_like(m)
        acc = torch.zeros(B, g, r, T, D, dtype=q.dtype)
        for j0 in range(0, S, 32):
            j1 = min(S, j0 + 32)
            dist = pos - torch.arange(j0, j1).unsqueeze(0)
            s = qg @ k[:, :, None, j0:j1].transpose(-1, -2) - slopes * dist
            s = s.masked_fill((dist < 0) | (dist >= self.window), float("-inf"))
            new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
            c = torch.exp(m - new)
            p = torch.exp(s - new)
            l = l * c + p.sum(dim=-1, keepdim=True)
            acc = acc * c + p @ v[:, :, None, j0:j1]
            m = new
        return (acc / l).reshape(B, H, T, D)
