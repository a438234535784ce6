import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, label_smoothing=0.0, ignore_index=-100):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        keep = target != self.ignore_index
        x, t = logits[keep], target[keep]
        m = x.detach().amax(1)
        s = 0
        for c0 in range(0, x.shape[1], 64):
            s = s + (x[:, c0:c0 + 64] - m[:, None]).exp().sum(1)
        return (m + s.log() - x.gather(1, t.unsqueeze(1)).squeeze(1)).mean()
