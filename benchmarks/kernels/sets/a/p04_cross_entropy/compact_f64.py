import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target, weight):
        rows = torch.nonzero(target != -100).flatten()
        z = logits.index_select(0, rows).double()
        t = target.index_select(0, rows)
        w = weight.double()[t]
        if rows.numel() == 0:
            return (logits.sum() * 0) / 0.0
        z = z - z.amax(dim=1, keepdim=True)
        nll = torch.exp(z).sum(1).log() - z[torch.arange(rows.numel()), t]
        return ((nll * w).sum() / w.sum()).to(logits.dtype)
