import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Max pooling over 2D planes.
    """

    def __init__(self, kernel_size: int, stride: int, padding: int, dilation: int):
        super(Model, self).__init__()
        self.maxpool = nn.MaxPool2d(kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x: float32 tensor (batch_size, channels, height, width).
        Returns:
            float32 tensor (batch_size, channels, pooled_height, pooled_width).
        """
        return self.maxpool(x)


batch_size = 8
channels = 8
height = 32
width = 30
kernel_size = 3
stride = 2
padding = 1
dilation = 1


def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]


def get_init_inputs():
    return [kernel_size, stride, padding, dilation]
