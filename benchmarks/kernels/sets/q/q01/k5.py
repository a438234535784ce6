import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Memory-lean rotary: one temporary of half the rotated width."""

    def __init__(self, num_heads, head_dim, rotary_dim, base, scale):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.scale = scale
        self.gain = nn.Parameter(torch.ones(num_heads))
        inv = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, x, positions):
        rd = self.rotary_dim
        ang = (positions.float()[..., None] * self.inv_freq / self.scale)[:, :, None, :]
        g = self.gain[:, None]
        cos, sin = ang.cos() * g, ang.sin() * g
        if torch.is_grad_enabled() and (x.requires_grad or self.gain.requires_grad):
            out = x.clone()
        else:
            out = x.contiguous()
        x1 = x[..., 0:rd:2].clone()
        x2 = x[..., 1:rd:2].clone()
        out[..., 0:rd:2] = x1 * cos - x2 * sin
        out[..., 1:rd:2] = x1 * sin + x2 * cos
        return out
