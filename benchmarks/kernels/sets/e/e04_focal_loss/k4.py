import torch
import torch.nn as nn

ROWS = 16


class ModelNew(nn.Module):
    """Only the live rows are gathered; row tiles, float64 inside a tile."""

    def __init__(self, num_classes, gamma):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(num_classes))
        self.gamma = gamma

    def forward(self, logits, target):
        keep = torch.nonzero(target >= 0).flatten()
        n = keep.numel()
        acc = logits[:0].double().sum() + self.alpha[:0].double().sum()
        for s in range(0, n, ROWS):
            idx = keep[s:s + ROWS]
            z = logits[idx].double()
            t = target[idx]
            lp = (z - torch.logsumexp(z, 1, keepdim=True)).gather(1, t[:, None]).flatten()
            acc = acc + (self.alpha[t].double() * (-torch.expm1(lp)).clamp(min=0) ** self.gamma * -lp).sum()
        return (acc / max(n, 1)).to(logits.dtype)
