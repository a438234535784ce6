import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """float64 rows, 32 at a time, only rows that count."""

    def __init__(self, label_smoothing=0.0, ignore_index=-100):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        rows = (target != self.ignore_index).nonzero().squeeze(1)
        total = torch.zeros((), dtype=torch.float64)
        for r0 in range(0, rows.numel(), 32):
            idx = rows[r0:r0 + 32]
            z = logits[idx].double()
            z = z - z.max(dim=1, keepdim=True).values.detach()
            lse = z.exp().sum(1).log()
            picked = z[torch.arange(idx.numel()), target[idx]]
            total = total + ((1 - self.label_smoothing) * (lse - picked)
                             + self.label_smoothing * (lse - z.mean(1))).sum()
        return (total / rows.numel()).to(logits.dtype)
