import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, hidden: int, vocab: int, softcap: float, smoothing: float, z_weight: float):
        super().__init__()
        self.softcap = softcap
        self.smoothing = smoothing
        self.z_weight = z_weight
        self.weight = nn.Parameter(torch.randn(vocab, hidden) * hidden**-0.5)

    def forward(self, h, target):
        z = self.softcap * torch.tanh(h @ self.weight.t() / self.softcap)
        valid = target >= 0
        rows = torch.arange(z.shape[0], device=z.device)
        m = z.max(dim=1, keepdim=True).values
        lse = (m + (z - m).exp().sum(dim=1, keepdim=True).log()).squeeze(1)
        hit = z[rows, target.clamp(min=0)]
        loss = (1 - self.smoothing) * (lse - hit) + self.smoothing * (lse - z.mean(dim=1))
        loss = loss + self.z_weight * lse**2
        return (loss * valid).mean()
