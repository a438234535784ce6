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

        self._bias = {}

    def _get_bias(self, T, S):
        b = self._bias.get(T)
        if b is None or b.shape[-1] < S:
            dist = torch.arange(S - T, S).unsqueeze(1) - torch.arange(S).unsqueeze(0)
            b = -self.slopes.view(-1, 1, 1) * dist
            b = b.masked_fill((dist < 0) | (dist >= self.window), float("-inf"))
            self._bias[T] = b
        return b[..., :S]

    def forward(self, q, k, v):
        B, H, T, D = q.shape
        S = k.shape[2]
        r = H // self.kv_heads
        qg = q.reshape(B, self.kv_heads, r * T, D)
        s = (qg @ k.transpose(2, 3)).reshape(B, H, T, S) * (D ** -0.5)
        p = torch.softmax(s + self._get_bias(T, S), dim=-1)
        return (p.reshape(B, self.kv_heads, r * T, S) @ v).reshape(B, H, T, D)
