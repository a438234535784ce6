import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Rotation written as one complex multiplication per pair; the gain is folded into the phasor."""

    def __init__(self, num_heads, head_dim, rotary_dim, base, scale):
        super().__init__()
        self.rd = rotary_dim
        self.scale = scale
        self.gain = nn.Parameter(torch.ones(num_heads))
        inv = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, x, positions):
        B, S, H, D = x.shape
        rd = self.rd
        angle = positions.to(torch.float32).unsqueeze(-1) * (self.inv_freq / self.scale)
        phasor = torch.polar(torch.ones_like(angle), angle).unsqueeze(2)
        z = torch.view_as_complex(x[..., :rd].reshape(B, S, H, rd // 2, 2))
        rot = torch.view_as_real(z * phasor * self.gain.view(1, 1, H, 1)).reshape(B, S, H, rd)
        if rd == D:
            return rot
        return torch.cat([rot, x[..., rd:]], dim=-1)
