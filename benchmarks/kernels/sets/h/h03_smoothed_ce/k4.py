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
        n, c = logits.shape
        w = self.class_weight
        valid = target >= 0
        y = target.clamp_min(0)
        m = logits.detach().amax(dim=1)
        lse = m + torch.log(torch.exp(logits - m.unsqueeze(1)).sum(dim=1))
        wy = w[y] * valid
        nll = wy * (lse - logits[torch.arange(n), y])
        smooth = valid * (lse * w.sum() - logits @ w)
        return ((1 - self.smoothing) * nll + self.smoothing / c * smooth).sum() / wy.sum()
