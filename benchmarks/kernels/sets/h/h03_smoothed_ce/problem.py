import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Class-weighted, label-smoothed cross entropy with an ignored label (mean)."""

    def __init__(self, classes, ignore_index=-100, smoothing=0.1):
        super().__init__()
        self.classes = classes
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.register_buffer("class_weight", torch.linspace(0.5, 2.0, classes))

    def forward(self, logits, target):
        return F.cross_entropy(logits, target, weight=self.class_weight,
                               ignore_index=self.ignore_index,
                               label_smoothing=self.smoothing)


rows = 1500
classes = 150


def get_inputs():
    logits = torch.randn(rows, classes) * 3
    target = torch.randint(0, classes, (rows,))
    target[torch.rand(rows) < 0.15] = -100
    return [logits, target]


def get_init_inputs():
    return [classes, -100, 0.1]
