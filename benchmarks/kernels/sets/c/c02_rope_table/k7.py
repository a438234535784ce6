import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, max_pos, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv = 1.0 / (base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim))
        ang = torch.outer(torch.arange(max_pos).float(), inv)
        self.register_buffer("cos_table", ang.cos())
        self.register_buffer("sin_table", ang.sin())

    def _rot_(self, x, cos, sin):
        half = self.rotary_dim // 2
        a = x[..., :half].clone()
        b = x[..., half:2 * half]
        x[..., :half] = a * cos - b * sin
        x[..., half:2 * half] = b * cos + a * sin
        return x

    def forward(self, q, k, positions):
        cos = self.cos_table[positions].unsqueeze(2)
        sin = self.sin_table[positions].unsqueeze(2)
        return self._rot_(q, cos, sin), self._rot_(k, cos, sin)
