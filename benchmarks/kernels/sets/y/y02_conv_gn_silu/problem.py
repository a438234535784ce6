"""Residual block of a diffusion U-Net: conv -> GroupNorm -> SiLU -> add the input.

    y = silu(group_norm(conv2d(x))) + x

x is float32 (N, channels, H, W) with any N, H, W >= 1 (contiguous or channels_last); a group has
more than one element. The convolution has stride 1, an odd kernel_size, the given dilation, a bias,
and zero padding that keeps H and W. Group norm uses the biased variance, eps inside the square root,
and learned per-channel weight and bias. The block is trained, so gradients with respect to
the input and all parameters are used.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels, kernel_size, dilation, groups, eps):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, dilation=dilation,
                              padding=dilation * (kernel_size // 2))
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    def forward(self, x):
        return F.silu(self.norm(self.conv(x))) + x


def get_inputs():
    return [torch.randn(2, 16, 14, 14)]


def get_init_inputs():
    return [16, 3, 1, 4, 1e-5]
