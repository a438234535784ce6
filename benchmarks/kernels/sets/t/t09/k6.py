"""Distillation loss composed from F.cross_entropy and F.kl_div on the rows that count."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, temperature=2.0, alpha=0.5, ignore_index=-100, reduction="mean"):
        super().__init__()
        self.T, self.alpha, self.ignore, self.reduction = float(temperature), alpha, ignore_index, reduction

    def forward(self, student, teacher, target):
        T, keep = self.T, target != self.ignore
        ce = F.cross_entropy(student, target, ignore_index=self.ignore, reduction=self.reduction)
        p = F.softmax(teacher.detach() / T, -1)
        kl = F.kl_div(F.log_softmax(student / T, -1), p, reduction="none").sum(-1) * keep
        if self.reduction == "mean":
            kl = kl.sum() / keep.sum()
        elif self.reduction == "sum":
            kl = kl.sum()
        return self.alpha * T * T * kl + (1 - self.alpha) * ce
