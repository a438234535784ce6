import torch
import torch.nn as nn
import torch.nn.functional as F


def _tree(v):
    v = v.reshape(-1)
    while v.numel() > 1:
        if v.numel() % 2:
            v = F.pad(v, (0, 1))
        v = v[0::2] + v[1::2]
    return v.reshape(())


class ModelNew(nn.Module):
    """Soft-target form per position, positions added by a binary tree."""

    def __init__(self, num_classes, label_smoothing=0.1, ignore_index=-100):
        super().__init__()
        self.label_smoothing, self.ignore_index = label_smoothing, ignore_index
        self.register_buffer("class_weight", torch.ones(num_classes, dtype=torch.float64))

    def forward(self, logits, target):
        C = logits.shape[1]
        valid = target != self.ignore_index
        z, y = logits.movedim(1, -1)[valid], target[valid]
        w = self.class_weight
        if y.numel() == 0:
            return logits.sum() * 0.0 / 0.0
        top = z.detach().amax(1, keepdim=True)
        shifted = z - top
        log_den = shifted.exp().sum(1, keepdim=True).log()
        wy = w[y]
        hit = shifted.gather(1, y[:, None]) - log_den
        per = -(1.0 - self.label_smoothing) * wy * hit.squeeze(1)
        if self.label_smoothing > 0:
            per = per - (self.label_smoothing / C) * ((shifted - log_den) * w).sum(1)
        return _tree(per) / _tree(wy)
