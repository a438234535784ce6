import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """2-D max pooling that also gives the position of each maximum; inference only (no gradients).

    x: float32 (n, c, h, w), contiguous, finite, any sizes for which the output is not empty.
    Padding does not take part. Returns (values, indices int64): an index is row * w + column in
    the unpadded plane; among equal values the first in row-major order of the window counts.
    kernel_size, stride, padding (<= kernel_size / 2) and dilation are ints >= 1 (padding >= 0);
    every window meets the plane.
    """

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation

    def forward(self, x):
        return F.max_pool2d(x, self.kernel_size, self.stride, self.padding, self.dilation,
                            return_indices=True)


n, c, h, w = 3, 8, 32, 32


def get_inputs():
    return [torch.rand(n, c, h, w)]  # after a ReLU-like layer


def get_init_inputs():
    return [3, 2, 1]
