"""PCEN: all channels share the smoothing constant, so the smoother is a single (T, T) matrix and the whole
batch goes through one GEMM."""
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
        t = energy.shape[-1]
        s = self.smooth.clamp(0.0, 1.0)[0]
        i = torch.arange(t, device=energy.device, dtype=energy.dtype)
        lag = i[:, None] - i[None, :]
        mat = torch.tril(s * (1.0 - s) ** lag.clamp(min=0))
        init = (1.0 - s) ** i
        mat = torch.cat([init[:, None], mat[:, 1:]], 1)
        m = energy @ mat.t()
        r = 1.0 / self.root.clamp(min=1.0)[:, None]
        d = self.delta[:, None]
        gain = (self.floor + m) ** (-self.alpha.clamp(max=1.0)[:, None])
        return (energy * gain + d) ** r - d ** r
