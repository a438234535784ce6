import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Builds the smoothed target distribution once and contracts it with the log-probabilities."""

    TILE = 20

    def __init__(self, classes, ignore_index, smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.class_bias = nn.Parameter(torch.zeros(classes))
    def forward(self, logits, target):
        rows = torch.nonzero(target != self.ignore_index).squeeze(1)
        x = logits.index_select(0, rows) + self.class_bias
        t = target.index_select(0, rows)
        n, C = x.shape
        top = x.detach().amax(1, keepdim=True)
        acc = x.new_zeros((n, 1), dtype=torch.float64)
        lin = x.new_zeros((n, 1), dtype=torch.float64)
        for c in range(0, C, self.TILE):
            z = x[:, c:c + self.TILE].double() - top.double()
            acc = acc + z.exp().sum(1, keepdim=True)
            lin = lin + z.sum(1, keepdim=True)
        hit = x.gather(1, t[:, None]).double() - top.double()
        ls = self.smoothing
        return (acc.log() - (1.0 - ls) * hit - (ls / C) * lin).mean().to(logits.dtype)
