"""Rotary embedding as a product of complex numbers."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base=10000.0, interleaved=False):
        super().__init__()
        self.rd, self.interleaved = rotary_dim, interleaved
        i = torch.arange(rotary_dim // 2, dtype=torch.float64)
        self.freq = torch.pow(torch.tensor(base, dtype=torch.float64), -2 * i / rotary_dim)

    def forward(self, x, offsets):
        B, H, S, D = x.shape
        ang = (offsets.view(B, 1, 1, 1) + torch.arange(S).view(1, 1, S, 1)) * self.freq
        rot = torch.polar(torch.ones_like(ang), ang).to(torch.complex64)
        y = x[..., : self.rd]
        y = y.unflatten(-1, (-1, 2)) if self.interleaved else y.unflatten(-1, (2, -1)).transpose(-1, -2)
        z = torch.view_as_real(torch.view_as_complex(y.contiguous()) * rot)
        z = z.flatten(-2) if self.interleaved else z.transpose(-1, -2).flatten(-2)
        return torch.cat((z, x[..., self.rd:]), -1)
