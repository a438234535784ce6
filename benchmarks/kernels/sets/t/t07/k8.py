"""Rotary embedding, inverse frequencies kept as a float32 buffer, angles from an outer product."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base=10000.0, interleaved=False):
        super().__init__()
        self.rd, self.interleaved = rotary_dim, interleaved
        inv = 1.0 / (base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim))
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, x, offsets):
        pos = (offsets[:, None] + torch.arange(x.shape[2])).float()
        ang = (pos[..., None] * self.inv_freq)[:, None]
        cos, sin = ang.cos(), ang.sin()
        y = x[..., : self.rd]
        if self.interleaved:
            a, b = y.unflatten(-1, (-1, 2)).unbind(-1)
            z = torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
        else:
            a, b = y.tensor_split(2, -1)
            z = torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
        return torch.cat((z, x[..., self.rd:]), -1)
