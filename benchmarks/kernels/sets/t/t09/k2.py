"""Distillation loss; both terms share the shifted student logits."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, temperature=2.0, alpha=0.5, ignore_index=-100, reduction="mean"):
        super().__init__()
        self.T, self.alpha, self.ignore, self.reduction = float(temperature), alpha, ignore_index, reduction

    def forward(self, student, teacher, target):
        T = self.T
        valid = (target >= 0) & (target < student.shape[1])
        z = student - student.detach().amax(-1, keepdim=True)
        logq = z / T - torch.logsumexp(z / T, -1, keepdim=True)
        p = F.softmax(teacher.detach() / T, -1)
        kl = (torch.special.xlogy(p, p) - p * logq).sum(-1)
        picked = z.gather(1, target.clamp(0, student.shape[1] - 1)[:, None])[:, 0]
        ce = torch.logsumexp(z, -1) - picked
        rows = torch.where(valid, self.alpha * T ** 2 * kl + (1 - self.alpha) * ce, 0.0)
        if self.reduction == "none":
            return rows
        if self.reduction == "sum":
            return rows.sum()
        return rows.sum() / valid.sum().clamp_min(1)
