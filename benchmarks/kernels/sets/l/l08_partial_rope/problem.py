import torch
import torch.nn as nn


class Model(nn.Module):
    """Rotary embedding of the first rotary_dim channels (halves paired), the others pass through."""

    def __init__(self, rotary_dim, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.base = base

    def forward(self, x, positions):
        r = self.rotary_dim
        inv = self.base ** (-torch.arange(0, r, 2, device=x.device, dtype=torch.float32) / r)
        angle = positions.to(torch.float32)[:, None, :, None] * inv
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
        return torch.cat((a * cos - b * sin, b * cos + a * sin, rest), -1)


def get_inputs():
    return [torch.randn(2, 2, 16, 32), torch.arange(16).expand(2, 16).contiguous()]


def get_init_inputs():
    return [32, 10000.0]
