import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Row blocks of 16; padded rows give zero."""

    def __init__(self, label_smoothing=0.0, ignore_index=-100):
        super().__init__()
        self.ls = label_smoothing
        self.ignore = ignore_index

    def forward(self, logits, target):
        n, c = logits.shape
        total = 0
        for r in range(0, n, 16):
            x, t = logits[r:r + 16], target[r:r + 16]
            mask = (t != self.ignore).float()
            z = x - x.detach().amax(1, keepdim=True)
            lse = z.exp().sum(1).log()
            nll = lse - z.gather(1, (t * mask.long())[:, None])[:, 0]
            row = (1 - self.ls) * nll + self.ls * (lse - z.mean(1))
            total = total + (row * mask).sum()
        return total / n
