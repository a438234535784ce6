import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Mean cross entropy of logits (n, classes) against class indices (n,); for training.

    logits: float32, finite, magnitude up to 1e4; any n >= 1, classes >= 2.
    target: int64, each in [0, classes) or equal to ignore_index (such rows do not count;
    at least one row counts). label_smoothing in [0, 1). The gradient with respect to the
    logits is needed, for any use of the loss further on (e.g. scaled or added to others).
    """

    def __init__(self, label_smoothing=0.0, ignore_index=-100):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        return F.cross_entropy(logits, target, ignore_index=self.ignore_index,
                               label_smoothing=self.label_smoothing)


n, classes = 128, 500


def get_inputs():
    return [torch.randn(n, classes), torch.randint(0, classes, (n,))]


def get_init_inputs():
    return []
