import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH, CHANNELS, LENGTH = 4, 16, 512
KERNEL, STRIDE, PADDING = 5, 1, 3


class Model(nn.Module):
    """Depthwise 1d convolution, bias, exact GELU."""

    def __init__(self, channels, kernel_size, stride, padding):
        super().__init__()
        self.stride = stride
        self.padding = padding
        self.weight = nn.Parameter(torch.randn(channels, 1, kernel_size) / kernel_size ** 0.5)
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        y = F.conv1d(x, self.weight, self.bias, stride=self.stride,
                     padding=self.padding, groups=self.weight.shape[0])
        return F.gelu(y)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [CHANNELS, KERNEL, STRIDE, PADDING]
