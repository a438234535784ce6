import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Average pooling over square windows with ceil_mode=True: partial windows at the lower and
    right border produce an output of their own.
    """

    def __init__(self, kernel_size: int, stride: int, padding: int, count_include_pad: bool = True):
        super(Model, self).__init__()
        self.pool = nn.AvgPool2d(
            kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=True,
            count_include_pad=count_include_pad,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(x)


batch_size = 8
channels = 16
height = 47
width = 63
kernel_size = 3
stride = 2
padding = 1
count_include_pad = True


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [kernel_size, stride, padding, count_include_pad]
