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
        self.bn = nn.BatchNorm2d(channels, eps=eps, momentum=momentum)

    def forward(self, x):
        y = self.conv(x)
        bn = self.bn
        if self.training:
            mean = y.mean(dim=(0, 2, 3))
            var = (y - mean.view(1, -1, 1, 1)).square().mean(dim=(0, 2, 3))
            with torch.no_grad():
                bn.num_batches_tracked += 1
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var, bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        scale = bn.weight * torch.rsqrt(var + bn.eps)
        y = (y - mean.view(1, -1, 1, 1)) * scale.view(1, -1, 1, 1) + bn.bias.view(1, -1, 1, 1)
        return y * (y + 3).clamp(0, 6) / 6
