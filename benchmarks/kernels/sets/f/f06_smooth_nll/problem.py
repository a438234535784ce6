import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Learnable-bias classifier head loss: label-smoothed NLL with an ignored class index.

    Mean over the targets that are not ignored (at least one is expected).
    """

    def __init__(self, classes, ignore_index, smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.class_bias = nn.Parameter(torch.zeros(classes))

    def forward(self, logits, target):
        return F.cross_entropy(logits + self.class_bias, target,
                               ignore_index=self.ignore_index,
                               label_smoothing=self.smoothing)


ROWS = 64
CLASSES = 48
IGNORE_INDEX = -100
SMOOTHING = 0.1


def get_inputs():
    return [torch.randn(ROWS, CLASSES), torch.randint(0, CLASSES, (ROWS,))]


def get_init_inputs():
    return [CLASSES, IGNORE_INDEX, SMOOTHING]
