import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Depthwise dilated 2D convolution followed by batch norm, SiLU and a layer-scaled residual:

        y = x + gamma * silu(bn(dwconv(x)))

    Used for training and for inference: train()/eval() behave as with nn.BatchNorm2d, including
    the update of the running statistics in train mode. Parameters and buffers may be changed
    between calls (optimizer steps, load_state_dict).

    Args:
        channels (int): number of channels.
        kernel_size (int): odd kernel size.
        dilation (int): dilation of the convolution.

    Input: float32 (N, C, H, W), any N, H, W (N*H*W > 1 in train mode), any memory format.
    """

    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, padding=dilation * (kernel_size // 2),
                              dilation=dilation, groups=channels, bias=True)
        self.bn = nn.BatchNorm2d(channels)
        self.gamma = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.gamma * F.silu(self.bn(self.conv(x)))


batch_size = 2
channels = 16
height = width = 24


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels, 3, 2]
