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
        bn = self.bn
        z = self.conv(x)
        if self.training:
            zd = z.double()
            n = z.shape[0] * z.shape[2] * z.shape[3]
            if n < 2:
                raise ValueError("need more than one value per channel")
            mean = zd.sum(dim=(0, 2, 3)) / n
            var = ((zd * zd).sum(dim=(0, 2, 3)) / n - mean * mean).clamp_min(0)
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.copy_((1 - bn.momentum) * bn.running_mean + bn.momentum * mean)
                bn.running_var.copy_((1 - bn.momentum) * bn.running_var + bn.momentum * var * n / (n - 1))
        else:
            mean, var = bn.running_mean.double(), bn.running_var.double()
        scale = bn.weight.double() / torch.sqrt(var + bn.eps)
        shift = bn.bias.double() - mean * scale
        z = (z * scale.view(1, -1, 1, 1) + shift.view(1, -1, 1, 1)).to(x.dtype)
        return x + self.gamma * (z / (1 + torch.exp(-z)))
