import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Grouped convolution with bias followed by the exact (erf) GELU."""

    def __init__(self, in_channels, out_channels, kernel_size, groups, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size,
                              stride=stride, padding=padding, groups=groups)

    def forward(self, x):
        return F.gelu(self.conv(x))


BATCH = 2
IN_CHANNELS = 8
OUT_CHANNELS = 12
SIZE = 16
KERNEL = 3
GROUPS = 4
STRIDE = 1
PADDING = 1


def get_inputs():
    return [torch.randn(BATCH, IN_CHANNELS, SIZE, SIZE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL, GROUPS, STRIDE, PADDING]
