import torch
import torch.nn as nn


def _loss(x, t, ignore, eps):
    keep = t != ignore
    V = x.shape[1]
    logp = x - torch.logsumexp(x, 1, keepdim=True)
    idx = torch.where(keep, t, torch.zeros_like(t))
    at = logp.gather(1, idx.unsqueeze(1)).squeeze(1)
    rows = -at
    if eps > 0:
        rest = (logp.sum(1) - at) / max(V - 1, 1)
        rows = -(1.0 - eps) * at - eps * rest
    rows = torch.where(keep, rows, torch.zeros_like(rows))
    return rows.sum() / keep.sum()


class ModelNew(nn.Module):
    def __init__(self, ignore_index, label_smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, logits, target):
        return _loss(logits, target, self.ignore_index, self.label_smoothing)
