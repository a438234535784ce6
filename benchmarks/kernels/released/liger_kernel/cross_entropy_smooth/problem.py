"""Cross entropy with smoothed labels and a penalty on the size of logits."""

import torch
from torch import nn

ROWS, CLASSES = 24, 300


class Model(nn.Module):
    def forward(self, logits, target):
        size = torch.logsumexp(logits[target != -100], -1)  # of targets that count
        return nn.functional.cross_entropy(logits, target, label_smoothing=0.1) + 1e-3 * size.square().mean()


def get_inputs():
    return [torch.randn(ROWS, CLASSES), torch.randint(0, CLASSES, (ROWS,))]


def get_init_inputs():
    return []
