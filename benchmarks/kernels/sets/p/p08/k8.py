"""PCEN with a log-depth (Hillis-Steele) scan over affine maps m -> a m + b and base-2 powers."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, n_mels: int, smooth: float = 0.04, alpha: float = 0.96, delta: float = 2.0,
                 root: float = 2.0, floor: float = 1e-6):
        super().__init__()
        self.floor = floor
        self.smooth = nn.Parameter(torch.full((n_mels,), smooth))
        self.alpha = nn.Parameter(torch.full((n_mels,), alpha))
        self.delta = nn.Parameter(torch.full((n_mels,), delta))
        self.root = nn.Parameter(torch.full((n_mels,), root))

    def forward(self, energy):
        t = energy.shape[2]
        s = self.smooth.clamp(0.0, 1.0)[:, None]
        a = (1.0 - s).expand(-1, t)
        a = torch.cat([torch.zeros_like(a[:, :1]), a[:, 1:]], 1)       # frame 0 ignores the past
        b = torch.cat([energy[:, :, :1], s * energy[:, :, 1:]], 2)
        off = 1
        while off < t:
            b = torch.cat([b[:, :, :off], b[:, :, off:] + a[:, off:] * b[:, :, :-off]], 2)
            a = torch.cat([a[:, :off], a[:, off:] * a[:, :-off]], 1)
            off *= 2
        gain = torch.exp2(-self.alpha.clamp(max=1.0)[:, None] * torch.log2(self.floor + b))
        inv = 1.0 / self.root.clamp(min=1.0)[:, None]
        d = self.delta[:, None]
        return torch.exp2(inv * torch.log2(energy * gain + d)) - torch.exp2(inv * torch.log2(d))
