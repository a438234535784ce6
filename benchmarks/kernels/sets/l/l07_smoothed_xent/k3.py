import torch
import torch.nn as nn


def _loss(x, t, ignore, eps):
    valid = t >= 0
    V = x.shape[1]
    logp = torch.log_softmax(x, dim=1)
    idx = t.clamp(min=0)
    nll = -logp.gather(1, idx.unsqueeze(1)).squeeze(1)
    rows = nll
    if eps > 0:
        rows = (1.0 - eps) * nll - eps * logp.sum(1) / V
    rows = torch.where(valid, rows, torch.zeros_like(rows))
    return rows.sum() / valid.sum()


class ModelNew(nn.Module):
    def __init__(self, ignore_index, label_smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, logits, target):
        return _loss(logits, target, self.ignore_index, self.label_smoothing)
