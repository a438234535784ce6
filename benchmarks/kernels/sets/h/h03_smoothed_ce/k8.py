import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, classes, ignore_index=-100, smoothing=0.1):
        super().__init__()
        self.classes = classes
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.register_buffer("class_weight", torch.linspace(0.5, 2.0, classes))

    def forward(self, logits, target):
        keep = target != self.ignore_index
        x = logits[keep]
        y = target[keep]
        w = self.class_weight
        logp = x - torch.logsumexp(x, dim=1, keepdim=True)
        nll = -(w[y] * logp.gather(1, y.unsqueeze(1)).squeeze(1)).sum() / w[y].sum()
        smooth = -(logp @ w).mean()
        return (1 - self.smoothing) * nll + self.smoothing * smooth / x.shape[1]
