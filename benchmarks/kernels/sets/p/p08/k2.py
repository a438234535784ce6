"""PCEN: the recursive smoother is an exponentially decaying FIR filter, so it becomes one grouped conv1d
(time-parallel). The first frame is handled by replicating it to the left."""
import torch
import torch.nn as nn

import torch.nn.functional as F

TAPS = 128


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
        b, c, t = energy.shape
        s = self.smooth.clamp(0.0, 1.0)[:, None]
        taps = min(TAPS, t)
        k = torch.arange(taps - 1, -1, -1, device=energy.device, dtype=energy.dtype)
        kernel = s * (1.0 - s) ** k                                   # oldest tap first
        padded = F.pad(energy, (taps - 1, 0))
        m = F.conv1d(padded, kernel[:, None, :], groups=c)
        # the initial state e[0] decays as (1-s)^(t+1)
        steps = torch.arange(1, t + 1, device=energy.device, dtype=energy.dtype)
        m = m + energy[:, :, :1] * (1.0 - s) ** steps
        r = 1.0 / self.root.clamp(min=1.0)[:, None]
        d = self.delta[:, None]
        gain = (self.floor + m) ** (-self.alpha.clamp(max=1.0)[:, None])
        return (energy * gain + d) ** r - d ** r
