import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv_freq = 1.0 / (base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def _rope(self, x, cos, sin):
        y = x.contiguous()
        pairs = y[..., : self.rotary_dim].unflatten(-1, (-1, 2))
        a = pairs[..., 0].float()
        b = pairs[..., 1].float()
        pairs[..., 0] = (a * cos - b * sin).to(y.dtype)
        pairs[..., 1] = (a * sin + b * cos).to(y.dtype)
        return y

    def forward(self, q, k, positions):
        ang = (positions.float().unsqueeze(-1) * self.inv_freq).unsqueeze(2)
        cos, sin = ang.cos(), ang.sin()
        return self._rope(q, cos, sin), self._rope(k, cos, sin)
