import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, padding=dilation * (kernel_size // 2),
                              dilation=dilation, groups=channels, bias=True)
        self.bn = nn.BatchNorm2d(channels)
        self.gamma = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x):
        c, bn = self.conv, self.bn
        bias = None if self.training else c.bias
        z = F.conv2d(x, c.weight, bias, padding=c.padding, dilation=c.dilation, groups=c.groups)
        if self.training:
            bn.num_batches_tracked.add_(1)
        z = F.batch_norm(z, bn.running_mean, bn.running_var, bn.weight, bn.bias,
                         self.training, bn.momentum, bn.eps)
        return torch.addcmul(x, F.silu(z), self.gamma)
