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
        keep = target != self.ignore_index
        lp = torch.log_softmax((logits + self.class_bias)[keep], dim=1)
        t = target[keep]
        C = lp.shape[1]
        off = self.smoothing / (C - 1)
        w = torch.full_like(lp, off)
        w.scatter_(1, t[:, None], 1.0 - self.smoothing)
        return -(w * lp).sum() / t.numel()
