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
        lse = torch.logsumexp(x, dim=1)
        picked = x.gather(1, y.unsqueeze(1)).squeeze(1)
        wy = w[y]
        nll = wy * (lse - picked)
        smooth = (w * (lse.unsqueeze(1) - x)).sum(dim=1)
        eps = self.smoothing
        return ((1 - eps) * nll.sum() + eps / x.shape[1] * smooth.sum()) / wy.sum()
