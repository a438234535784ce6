import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Computes the (S, rotary_dim) cos/sin tables once per call and broadcasts them over batch and heads."""

    def __init__(self, num_heads, head_dim, rotary_dim, base, scale):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.scale = scale
        self.gain = nn.Parameter(torch.ones(num_heads))
        inv = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, x, positions):
        rd = self.rotary_dim
        pos = positions[0].float()
        ang = torch.outer(pos, self.inv_freq) / self.scale
        cos = ang.cos().repeat_interleave(2, dim=-1)[None, :, None, :]
        sin = ang.sin().repeat_interleave(2, dim=-1)[None, :, None, :]
        xr, xp = x[..., :rd], x[..., rd:]
        half = torch.stack((-xr[..., 1::2], xr[..., 0::2]), dim=-1).flatten(-2)
        rot = torch.addcmul(xr * cos, half, sin)
        return torch.cat((rot * self.gain.view(1, 1, -1, 1), xp), dim=-1)
