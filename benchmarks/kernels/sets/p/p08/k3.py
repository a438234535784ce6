"""PCEN with the smoother as a dense lower-triangular operator per channel: m = W e, one batched GEMM."""
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
        s = self.smooth.clamp(0.0, 1.0)
        i = torch.arange(t, device=energy.device)
        lag = (i[:, None] - i[None, :])
        decay = (1.0 - s)[:, None, None] ** lag.clamp(min=0).to(energy.dtype)
        w = torch.where(lag >= 0, s[:, None, None] * decay, torch.zeros_like(decay))
        # column 0 carries the initial state: (1-s)^t instead of s (1-s)^t
        first = decay[:, :, :1]
        w = torch.cat([first, w[:, :, 1:]], dim=2)
        m = torch.einsum("ctk,bck->bct", w, energy)
        r = 1.0 / self.root.clamp(min=1.0)[:, None]
        d = self.delta[:, None]
        return (energy / (self.floor + m) ** self.alpha.clamp(max=1.0)[:, None] + d) ** r - d ** r
