import math
import torch
import torch.nn as nn


CHUNK_V = 300


class ModelNew(nn.Module):
    def __init__(self, hidden: int, vocab: int, softcap: float, smoothing: float, z_weight: float):
        super().__init__()
        self.softcap = softcap
        self.smoothing = smoothing
        self.z_weight = z_weight
        self.weight = nn.Parameter(torch.randn(vocab, hidden) * hidden**-0.5)

    def forward(self, h, target):
        V = self.weight.shape[0]
        valid = target != -100
        count = int(valid.sum())
        if count == 0:
            return (h * 0.0).sum() + (self.weight * 0.0).sum()
        # only the valid tokens are projected at all
        h = h[valid]
        target = target[valid]
        lse = None
        total = 0.0
        hit = 0.0
        for v0 in range(0, V, CHUNK_V):
            v1 = min(v0 + CHUNK_V, V)
            z = self.softcap * torch.tanh(h @ self.weight[v0:v1].t() * (1.0 / self.softcap))
            part = torch.logsumexp(z, dim=1)
            lse = part if lse is None else torch.logaddexp(lse, part)
            total = total + z.sum(dim=1)
            inside = (target >= v0) & (target < v1)
            col = (target - v0).clamp(0, v1 - v0 - 1)
            hit = hit + torch.where(inside, z.gather(1, col[:, None])[:, 0], torch.zeros_like(lse))
        nll = lse - (1 - self.smoothing) * hit - (self.smoothing / V) * total
        return (nll + self.z_weight * lse.square()).sum() / count
