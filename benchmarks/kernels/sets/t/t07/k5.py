"""Rotary embedding with an index permutation: out = x * C + x[perm] * Sg on all channels at once.

Angles are split in exact multiples of a coarse step and a fine remainder (angle addition), in float64.
"""
import torch
import torch.nn as nn

STEP = 256


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base=10000.0, interleaved=False):
        super().__init__()
        h = rotary_dim // 2
        self.rd = rotary_dim
        pair = torch.arange(h)
        if interleaved:
            self.first, self.second = 2 * pair, 2 * pair + 1
        else:
            self.first, self.second = pair, pair + h
        self.freq = float(base) ** (-2.0 * pair.double() / rotary_dim)

    def forward(self, x, offsets):
        B, H, S, D = x.shape
        p = offsets[:, None] + torch.arange(S)
        hi = torch.div(p, STEP, rounding_mode="floor") * STEP
        lo = p - hi
        ah, al = hi.double()[..., None] * self.freq, lo.double()[..., None] * self.freq
        cos = ah.cos() * al.cos() - ah.sin() * al.sin()
        sin = ah.sin() * al.cos() + ah.cos() * al.sin()
        C = torch.ones(B, S, D, dtype=torch.float64)
        G = torch.zeros(B, S, D, dtype=torch.float64)
        perm = torch.arange(D)
        C[..., self.first] = cos
        C[..., self.second] = cos
        G[..., self.first] = -sin
        G[..., self.second] = sin
        perm[self.first], perm[self.second] = self.second, self.first
        return x * C[:, None].to(x.dtype) + x[..., perm] * G[:, None].to(x.dtype)
