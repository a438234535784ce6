import torch
import torch.nn as nn

ROWS, LENGTH = 8, 5000


class Model(nn.Module):
    """Inclusive cumulative sum of x * mask along the last axis of a 2d tensor; mask is bool."""

    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        return torch.cumsum(x * mask, dim=1)


def get_inputs():
    return [torch.randn(ROWS, LENGTH), torch.rand(ROWS, LENGTH) > 0.4]


def get_init_inputs():
    return []
