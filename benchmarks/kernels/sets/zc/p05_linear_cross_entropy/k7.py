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
        V = self.weight.shape[0]
        rows = torch.nonzero(target != -100).squeeze(1)
        # tanh(x) = 2 sigmoid(2 x) - 1
        raw = (self.weight @ h.index_select(0, rows).t()).t() / self.softcap
        z = self.softcap * (2.0 * torch.sigmoid(2.0 * raw) - 1.0)
        lse = torch.logsumexp(z, dim=1)
        q = torch.full_like(z, self.smoothing / V).detach()
        t = target.index_select(0, rows)
        q[torch.arange(rows.numel(), device=h.device), t] += 1.0 - self.smoothing
        nll = lse - (q * z).sum(dim=1)
        return (nll + self.z_weight * lse * lse).sum() / max(rows.numel(), 1)
