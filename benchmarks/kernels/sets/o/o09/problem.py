import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Depthwise convolution, batch normalisation and SiLU (the middle of an inverted-bottleneck block).

    In training mode the batch statistics are used and the running ones updated; in eval mode the running ones are used.
    Gradients are taken for the input and the parameters.
    """

    def __init__(self, channels: int, kernel_size: int, stride: int = 1, eps: float = 1e-5, momentum: float = 0.1):
        """
        Args:
            channels (int): number of channels.
            kernel_size (int): odd; the padding is kernel_size // 2.
            stride (int): of the convolution.
            eps (float): of the batch normalisation.
            momentum (float): of the running statistics (a number, not None).
        """
        super(Model, self).__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, stride=stride, padding=kernel_size // 2,
                              groups=channels, bias=False)
        self.bn = nn.BatchNorm2d(channels, eps=eps, momentum=momentum)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x (torch.Tensor): (batch, channels, height, width) float32. In training mode the output holds more than
                one value per channel.
        Returns:
            torch.Tensor: (batch, channels, out_height, out_width).
        """
        return F.silu(self.bn(self.conv(x)))


batch_size = 4
channels = 12
height = 18
width = 20
kernel_size = 3


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels, kernel_size]
