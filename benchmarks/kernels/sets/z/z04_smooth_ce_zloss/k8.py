import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, label_smoothing=0.1, z_loss=1e-4, ignore_index=-100, reduction="mean"):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.z_loss = z_loss
        self.ignore_index = ignore_index
        self.reduction = reduction

    def forward(self, logits, target):
        keep = target != self.ignore_index
        ce = F.cross_entropy(logits, target, ignore_index=self.ignore_index,
                             label_smoothing=self.label_smoothing, reduction="none")
        lse = torch.logsumexp(logits, dim=-1)
        per = (ce + self.z_loss * lse ** 2) * keep
        if self.reduction == "mean":
            return per.sum() / keep.sum().clamp(min=1)
        return per.sum()
