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
        if self.training:
            z = bn(F.conv2d(x, c.weight, c.bias, padding=c.padding, dilation=c.dilation, groups=c.groups))
        else:
            s = bn.weight / torch.sqrt(bn.running_var + bn.eps)
            w = c.weight * s[:, None, None, None]
            b = torch.addcmul(bn.bias, c.bias - bn.running_mean, s)
            z = F.conv2d(x, w, b, padding=c.padding, dilation=c.dilation, groups=c.groups)
        return x + z.sigmoid().mul(z).mul(self.gamma)
