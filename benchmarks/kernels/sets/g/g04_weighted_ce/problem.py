import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS, CLASSES = 100, 500
IGNORE = -100


class Model(nn.Module):
    """Class-weighted cross entropy, mean over the rows that are not ignored."""

    def __init__(self, classes, ignore_index):
        super().__init__()
        self.ignore_index = ignore_index
        self.weight = nn.Parameter(0.25 + torch.rand(classes))

    def forward(self, logits, target):
        return F.cross_entropy(logits, target, weight=self.weight, ignore_index=self.ignore_index)


def get_inputs():
    logits = torch.randn(ROWS, CLASSES)
    target = torch.randint(0, CLASSES, (ROWS,))
    target[::7] = IGNORE
    return [logits, target]


def get_init_inputs():
    return [CLASSES, IGNORE]
