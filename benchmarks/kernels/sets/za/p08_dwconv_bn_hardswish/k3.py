import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size=3, stride=1, dilation=1, eps=1e-5, momentum=0.1):
        super().__init__()
        self.conv = nn.Conv2d(
            channels, channels, kernel_size, stride=stride,
            padding=dilation * (kernel_size - 1) // 2, dilation=dilation, groups=channels, bias=False,
        )
        self.bn = nn.BatchNorm2d(channels, eps=eps)

    def forward(self, x):
        y = self.conv(x.contiguous(memory_format=torch.channels_last))
        y = self.bn(y)
        gate = torch.clamp(y + 3.0, min=0.0, max=6.0)
        return (y * gate / 6.0).contiguous()
