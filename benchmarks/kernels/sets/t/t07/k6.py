"""Rotary embedding: pairs are brought to a common split form first, then one rotation formula serves both layouts."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base=10000.0, interleaved=False):
        super().__init__()
        self.rd, self.base, self.interleaved = rotary_dim, base, interleaved

    def forward(self, x, offsets):
        B, H, S, D = x.shape
        half = self.rd // 2
        inv = self.base ** (-torch.arange(half).double() / half)
        ang = ((offsets.view(B, 1, 1) + torch.arange(S).view(1, S, 1)).double() * inv).unsqueeze(1)
        cos, sin = ang.cos().float(), ang.sin().float()
        y = x[..., : self.rd]
        if self.interleaved:
            y = y.reshape(B, H, S, half, 2).transpose(-1, -2).reshape(B, H, S, self.rd)
        turned = torch.cat((-y[..., half:], y[..., :half]), -1)
        z = y * torch.cat((cos, cos), -1) + turned * torch.cat((sin, sin), -1)
        return torch.cat((z, x[..., self.rd:]), -1)
