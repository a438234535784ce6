"""Total variation of two distributions, by rows."""

import torch
from torch import nn

ROWS, HIDDEN = 24, 200


class Model(nn.Module):
    def forward(self, q, p):
        return 0.5 * (q - p.detach()).abs().sum() / q.shape[0]


def get_inputs():
    return [torch.softmax(torch.randn(ROWS, HIDDEN), -1), torch.softmax(torch.randn(ROWS, HIDDEN), -1)]


def get_init_inputs():
    return []
