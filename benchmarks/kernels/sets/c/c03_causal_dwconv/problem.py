import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Causal depthwise conv1d followed by SiLU."""

    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)

    def forward(self, x):
        pad = (self.conv.kernel_size[0] - 1) * self.conv.dilation[0]
        return F.silu(self.conv(F.pad(x, (pad, 0))))


B = 4
CHANNELS = 64
L = 500
KERNEL = 4
DILATION = 1


def get_inputs():
    return [torch.randn(B, CHANNELS, L)]


def get_init_inputs():
    return [CHANNELS, KERNEL, DILATION]
