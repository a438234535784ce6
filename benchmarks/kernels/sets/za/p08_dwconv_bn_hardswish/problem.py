import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Depthwise convolution -> BatchNorm2d -> hardswish (MobileNetV3 block without the pointwise part).

    x: float32 [N, channels, H, W], contiguous or channels_last, activations may have a large mean
    compared with their spread. kernel_size is odd; padding is dilation * (kernel_size - 1) // 2.
    The module is used in both modes: train() normalises with the batch statistics and updates the
    running statistics (also with torch.no_grad), eval() uses the running ones. The state dict
    (weights and running statistics, same names as here) is loaded and saved at any time between
    calls. In train mode there is more than one value per channel.
    Only the forward result and the buffers count.
    """

    def __init__(self, channels, kernel_size=3, stride=1, dilation=1, eps=1e-5, momentum=0.1):
        super().__init__()
        self.conv = nn.Conv2d(
            channels, channels, kernel_size, stride=stride,
            padding=dilation * (kernel_size - 1) // 2, dilation=dilation, groups=channels, bias=False,
        )
        self.bn = nn.BatchNorm2d(channels, eps=eps, momentum=momentum)

    def forward(self, x):
        return F.hardswish(self.bn(self.conv(x)))


def get_inputs():
    return [torch.randn(4, 16, 14, 14)]


def get_init_inputs():
    return [16, 3, 1, 1, 1e-5, 0.1]
