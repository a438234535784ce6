import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Fused: one exp-sum and one plain sum over the classes."""

    def __init__(self, smoothing, z_coef, ignore_index):
        super().__init__()
        self.smoothing = smoothing
        self.z_coef = z_coef
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        N, C, L = logits.shape
        lse = torch.exp(logits).sum(1).log()
        mean = logits.sum(1) / C
        keep = target != self.ignore_index
        idx = torch.where(keep, target, torch.zeros_like(target))
        ly = logits.gather(1, idx.unsqueeze(1)).squeeze(1)
        per = (1 - self.smoothing) * (lse - ly) + self.smoothing * (lse - mean) + self.z_coef * lse * lse
        per = torch.where(keep, per, torch.zeros_like(per))
        return per.sum(1) / keep.sum(1).clamp(min=1)
