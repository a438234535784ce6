import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Row blocks; ignored rows are dropped before any exponentials are taken."""

    ROWS = 20

    def __init__(self, classes, ignore_index, smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.class_bias = nn.Parameter(torch.zeros(classes))
    def forward(self, logits, target):
        keep = target != self.ignore_index
        x = logits[keep] + self.class_bias
        t = target[keep]
        n = t.shape[0]
        ls = self.smoothing
        total = x.new_zeros(())
        for i in range(0, n, self.ROWS):
            xb = x[i:i + self.ROWS]
            z = xb - xb.detach().amax(dim=1, keepdim=True)
            lse = z.exp().sum(dim=1).log()
            hit = z.gather(1, t[i:i + self.ROWS, None]).squeeze(1)
            total = total + (lse - (1.0 - ls) * hit - ls * z.mean(dim=1)).sum()
        return total / n
