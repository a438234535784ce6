import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, num_classes, smoothing=0.1, ignore_index=-100, z_coef=1e-3):
        super().__init__()
        self.smoothing = smoothing
        self.ignore_index = ignore_index
        self.z_coef = z_coef
        self.register_buffer("class_weight", torch.ones(num_classes))

    def forward(self, logits, target):
        mask = target != self.ignore_index
        count = int(mask.sum())
        if count == 0:
            return logits.sum() * 0.0
        ce = F.cross_entropy(
            logits,
            target,
            weight=self.class_weight,
            ignore_index=self.ignore_index,
            label_smoothing=self.smoothing,
        )
        lse = torch.logsumexp(logits[mask], dim=1)
        return ce + (self.z_coef / count) * torch.dot(lse, lse)
