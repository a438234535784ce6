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
        z = self.conv(x)
        bn = self.bn
        if self.training:
            mean = z.mean(dim=(0, 2, 3))
            centered = z - mean[None, :, None, None]
            var = centered.square().mean(dim=(0, 2, 3))
            with torch.no_grad():
                m = bn.momentum
                bn.num_batches_tracked.add_(1)
                bn.running_mean.mul_(1 - m).add_(mean, alpha=m)
                bn.running_var.mul_(1 - m).add_(var, alpha=m)
        else:
            var = bn.running_var
            centered = z - bn.running_mean[None, :, None, None]
        scale = bn.weight * torch.rsqrt(var + bn.eps)
        z = centered * scale[None, :, None, None] + bn.bias[None, :, None, None]
        return torch.addcmul(x, self.gamma, F.silu(z))
