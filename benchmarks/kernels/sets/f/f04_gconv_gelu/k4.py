import torch
import torch.nn as nn
import torch.nn.functional as F


def _erf(x):
    a = x.abs()
    t = 1.0 / (1.0 + 0.47047 * a)
    r = 1.0 - t * (0.3480242 + t * (-0.0958798 + t * 0.7478556)) * torch.exp(-a * a)
    return torch.copysign(r, x)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size,
                              stride=stride, padding=padding, groups=groups)
    def forward(self, x):
        y = self.conv(x)
        return 0.5 * y * (1.0 + _erf(y * 0.7071067811865476))
