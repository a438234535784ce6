"""Grouped 2-D convolution with bias, batch normalisation and exact GELU.

x has shape (B, Cin, H, W), float32; any B, H, W (at least k, and more than one
output value for each channel) and any strides.  The convolution is
grouped, stride 1, without padding.  It is followed by batch
normalisation over batch and space and by the exact (erf) GELU.

The module works in both modes: in training mode the statistics of the batch are
used and the running statistics are updated exactly as nn.BatchNorm2d does
(momentum 0.1, unbiased variance in running_var, num_batches_tracked); in eval mode
the running statistics as they stand at the call are used.  Parameters and buffers may be changed or
loaded between calls.  The input may have a mean of up to 300 times its spread.
Gradients with respect to x and all parameters are needed in both modes.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, in_ch, out_ch, k, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, k, groups=groups, bias=True)
        self.bn = nn.BatchNorm2d(out_ch)

    def forward(self, x):
        return F.gelu(self.bn(self.conv(x)))


def get_inputs():
    return [torch.randn(4, 8, 14, 14)]


def get_init_inputs():
    return [8, 16, 3, 4]
