import torch
import torch.nn as nn


class Model(nn.Module):
    """MaxPool2d, x: (N, C, H, W) with any values; NaN in a window gives NaN."""

    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size, stride=stride, padding=padding)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(x)


def get_inputs():
    return [torch.rand(4, 8, 33, 33)]


def get_init_inputs():
    return [3, 2, 1]
