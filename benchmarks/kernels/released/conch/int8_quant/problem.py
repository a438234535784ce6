"""Numbers by a scale, to the nearest whole number of 8 bits, without gradients."""

import torch
from torch import nn

ROWS, HIDDEN = 24, 200


class Model(nn.Module):
    def forward(self, x, scale):
        with torch.no_grad():
            return torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)


def get_inputs():
    return [torch.randn(ROWS, HIDDEN), torch.tensor([0.02])]


def get_init_inputs():
    return []
