"""PCEN without a sequential loop: dividing the recursion by (1-s)^t turns it into a prefix sum, so
torch.cumsum does the whole scan."""
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
        steps = torch.arange(t, device=energy.device, dtype=energy.dtype)
        decay = (1.0 - s) ** steps                                     # (c, t)
        weights = s / decay
        weights = torch.cat([torch.ones_like(weights[:, :1]), weights[:, 1:]], dim=1)
        m = decay * torch.cumsum(energy * weights, dim=2)
        alpha = self.alpha.clamp(max=1.0)[:, None]
        r = 1.0 / self.root.clamp(min=1.0)[:, None]
        d = self.delta[:, None]
        return (energy / (self.floor + m) ** alpha + d) ** r - d ** r
