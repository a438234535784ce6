import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Shift-and-accumulate depthwise conv, two-pass batch statistics, erf GELU."""

    def __init__(self, channels, kernel, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel, dilation=dilation,
                              padding=dilation * (kernel - 1) // 2, groups=channels)
        self.bn = nn.BatchNorm1d(channels)
        self.k = kernel
        self.dil = dilation
        self.pad = dilation * (kernel - 1) // 2

    def _conv(self, x):
        N, C, L = x.shape
        xp = F.pad(x, (self.pad, self.pad))
        Lo = L + 2 * self.pad - self.dil * (self.k - 1)
        y = self.conv.bias[None, :, None].expand(N, C, Lo)
        w = self.conv.weight[:, 0]
        for j in range(self.k):
            o = j * self.dil
            y = torch.addcmul(y, xp[:, :, o:o + Lo], w[None, :, j:j + 1])
        return y

    def _norm(self, y):
        bn = self.bn
        if self.training:
            n = y.numel() // y.shape[1]
            mean = y.mean((0, 2))
            d = y - mean[None, :, None]
            var = d.square().mean((0, 2))
            if self.training:
                with torch.no_grad():
                    bn.num_batches_tracked += 1
                    bn.running_mean.lerp_(mean, bn.momentum)
                    bn.running_var.lerp_(var, bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
            d = y - mean[None, :, None]
        scale = bn.weight * torch.rsqrt(var + bn.eps)
        return d * scale[None, :, None] + bn.bias[None, :, None]

    def forward(self, x):
        return F.gelu(self._norm(self._conv(x)))
