import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Streams the classes in tiles with a running max, sum of exponentials and linear sum."""

    TILE = 16

    def __init__(self, classes, ignore_index, smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.class_bias = nn.Parameter(torch.zeros(classes))
    def forward(self, logits, target):
        keep = target != self.ignore_index
        x = logits[keep]
        t = target[keep]
        N, C = x.shape
        m = x.new_full((N, 1), float("-inf"))
        s = x.new_zeros((N, 1))
        for k in range(C // self.TILE):
            xt = x[:, k * self.TILE:(k + 1) * self.TILE] + self.class_bias[k * self.TILE:(k + 1) * self.TILE]
            nm = torch.maximum(m, xt.detach().amax(1, keepdim=True))
            s = s * torch.exp(m - nm) + torch.exp(xt - nm).sum(1, keepdim=True)
            m = nm
        z = x + self.class_bias - m
        hit = z.gather(1, t[:, None])
        ls = self.smoothing
        row = s.log() - (1.0 - ls) * hit - ls * z.mean(1, keepdim=True)
        return row.mean()
