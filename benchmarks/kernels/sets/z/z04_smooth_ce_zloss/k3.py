import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, label_smoothing=0.1, z_loss=1e-4, ignore_index=-100, reduction="mean"):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.z_loss = z_loss
        self.ignore_index = ignore_index
        self.reduction = reduction

    def forward(self, logits, target):
        x = logits.double()
        V = x.shape[1]
        top = x.detach().max(dim=1, keepdim=True).values
        lse = (x - top).exp().sum(1).log() + top.squeeze(1)
        keep = target.ne(self.ignore_index)
        soft = torch.full((x.shape[0], V), self.label_smoothing / V, dtype=torch.float64)
        rows = torch.nonzero(keep).squeeze(1)
        soft[rows, target[rows]] += 1.0 - self.label_smoothing
        per_row = lse - (soft * x).sum(1) + self.z_loss * lse.square()
        total = per_row[rows].sum()
        if self.reduction == "mean":
            total = total / max(rows.numel(), 1)
        return total.float()
