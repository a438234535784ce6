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

    def _apply_heads(self, x, c, s):
        half = self.rotary_dim // 2
        out = torch.empty(x.shape, dtype=x.dtype)
        for h in range(x.shape[2]):
            lo = x[:, :, h, :half]
            hi = x[:, :, h, half:2 * half]
            out[:, :, h, :half] = lo * c - hi * s
            out[:, :, h, half:2 * half] = hi * c + lo * s
            out[:, :, h, 2 * half:] = x[:, :, h, 2 * half:]
        return out

    def forward(self, q, k, positions):
        c = self.cos_table.index_select(0, positions.reshape(-1)).view(*positions.shape, -1)
        s = self.sin_table.index_select(0, positions.reshape(-1)).view(*positions.shape, -1)
        return self._apply_heads(q, c, s), self._apply_heads(k, c, s)
