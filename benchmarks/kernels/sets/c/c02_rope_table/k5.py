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

    def forward(self, q, k, positions):
        half = self.rotary_dim // 2
        idx = positions.to(torch.uint8)            # pack the index tile
        cos = self.cos_table[idx.int()].unsqueeze(2)
        sin = self.sin_table[idx.int()].unsqueeze(2)

        def rot(x):
            a, b, rest = x.split([half, half, x.shape[-1] - 2 * half], dim=-1)
            return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1)

        return rot(q), rot(k)
