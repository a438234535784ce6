import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Focal loss straight from cross entropy."""

    def __init__(self, num_classes, gamma):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(num_classes))
        self.gamma = gamma

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, reduction='none', ignore_index=-1)
        loss = (-torch.expm1(-ce)) ** self.gamma * ce
        return loss.sum() / (target != -1).sum().clamp(min=1)
