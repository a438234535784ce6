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
        lp = torch.log_softmax(logits + self.class_bias, dim=1)
        valid = (target != self.ignore_index).to(lp.dtype)
        idx = target.clamp_min(0)
        nll = -lp.gather(1, idx[:, None])[:, 0]
        smooth = -lp.mean(dim=1)
        row = torch.lerp(nll, smooth, self.smoothing)
        return (row * valid).mean()
