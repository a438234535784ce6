import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Depthwise dilated conv1d, BatchNorm1d (training and eval mode), exact (erf) GELU."""

    def __init__(self, channels, kernel, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel, dilation=dilation,
                              padding=dilation * (kernel - 1) // 2, groups=channels)
        self.bn = nn.BatchNorm1d(channels)

    def forward(self, x):
        return F.gelu(self.bn(self.conv(x)))


N = 4
C = 6
L = 40
K = 3
DIL = 2


def get_inputs():
    return [torch.randn(N, C, L)]


def get_init_inputs():
    return [C, K, DIL]
