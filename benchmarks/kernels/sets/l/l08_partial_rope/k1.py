import torch
import torch.nn as nn


def _apply(x, positions, r, base):
    h = r // 2
    inv = torch.pow(base, -torch.arange(0, r, 2, dtype=torch.float32, device=x.device) / r)
    out = x
    for s0 in range(0, x.shape[2], 8):
        ang = positions[:, None, s0:s0 + 8, None].float() * inv
        c, s = torch.cos(ang), torch.sin(ang)
        a = out[:, :, s0:s0 + 8, :h].clone()
        b = out[:, :, s0:s0 + 8, h:r].clone()
        out[:, :, s0:s0 + 8, :h] = a * c - b * s
        out[:, :, s0:s0 + 8, h:r] = b * c + a * s
    return out


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.base = base

    def forward(self, x, positions):
        return _apply(x, positions, self.rotary_dim, self.base)
