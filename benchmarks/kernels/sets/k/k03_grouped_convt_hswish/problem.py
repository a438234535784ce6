import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Grouped, dilated transposed convolution, hard swish, scaling, residual; returns the map and its
    spatial mean.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int,
                 padding: int, output_padding: int, dilation: int, groups: int, scale: float):
        super(Model, self).__init__()
        self.conv_transpose = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding,
            output_padding=output_padding, dilation=dilation, groups=groups,
        )
        self.scale = scale

    def forward(self, x: torch.Tensor, residual: torch.Tensor):
        y = self.conv_transpose(x)
        y = F.hardswish(y) * self.scale + residual
        return y, y.mean(dim=(2, 3))


batch_size = 4
in_channels = 16
out_channels = 24
height = 20
width = 20
kernel_size = 3
stride = 2
padding = 2
output_padding = 1
dilation = 2
groups = 4
scale = 1.5


def _size(n):
    return (n - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1


def get_inputs():
    x = torch.randn(batch_size, in_channels, height, width)
    residual = torch.randn(batch_size, out_channels, _size(height), _size(width))
    return [x, residual]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation,
            groups, scale]
