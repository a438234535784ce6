import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, label_smoothing=0.0, ignore_index=-100):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        keep = target != self.ignore_index
        s = 0
        for c0 in range(0, logits.shape[1], 100):
            s = s + torch.exp(logits[:, c0:c0 + 100]).sum(1)
        lse = torch.log(s)
        t = target.clamp_min(0)
        nll = lse - logits.gather(1, t[:, None])[:, 0]
        smooth = lse - logits.mean(1)
        loss = (1 - self.label_smoothing) * nll + self.label_smoothing * smooth
        return (loss * keep).sum() / keep.sum()
