import torch
import torch.nn as nn
import torch.nn.functional as F


def _silu(z):
    u = (0.5 * z).clamp(-4.97, 4.97)
    s = u * u
    num = u * (135135.0 + s * (17325.0 + s * (378.0 + s)))
    den = 135135.0 + s * (62370.0 + s * (3150.0 + 28.0 * s))
    return z * (0.5 + 0.5 * (num / den).clamp(-1.0, 1.0))


class ModelNew(nn.Module):
    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, padding=dilation * (kernel_size // 2),
                              dilation=dilation, groups=channels, bias=True)
        self.bn = nn.BatchNorm2d(channels)
        self.gamma = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x):
        c, bn = self.conv, self.bn
        N, C, H, W = x.shape
        z = F.conv2d(x.reshape(1, N * C, H, W), c.weight.repeat(N, 1, 1, 1), c.bias.repeat(N),
                     padding=c.padding, dilation=c.dilation, groups=N * C).reshape(N, C, H, W)
        if self.training:
            bn.num_batches_tracked.add_(1)
        z = F.batch_norm(z, bn.running_mean, bn.running_var, bn.weight, bn.bias,
                         self.training, bn.momentum, bn.eps)
        return torch.addcmul(x, self.gamma, _silu(z))
