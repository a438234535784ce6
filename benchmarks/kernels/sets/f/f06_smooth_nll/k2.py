import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, classes, ignore_index, smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.class_bias = nn.Parameter(torch.zeros(classes))
    def forward(self, logits, target):
        x = logits + self.class_bias
        valid = target != self.ignore_index
        safe = torch.where(valid, target, torch.zeros_like(target))
        lse = torch.logsumexp(x, dim=1)
        hit = x.gather(1, safe[:, None]).squeeze(1)
        ls = self.smoothing
        row = lse - (1.0 - ls) * hit - ls * x.mean(dim=1)
        return torch.where(valid, row, torch.zeros_like(row)).sum() / valid.sum()
