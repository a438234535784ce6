import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """im2col view with as_strided and an einsum over the taps."""

    def __init__(self, channels, kernel, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel, dilation=dilation,
                              padding=dilation * (kernel - 1) // 2, groups=channels)
        self.bn = nn.BatchNorm1d(channels)
        self.k = kernel
        self.dil = dilation
        self.pad = dilation * (kernel - 1) // 2

    def forward(self, x):
        N, C, L = x.shape
        xp = F.pad(x, (self.pad, self.pad)).contiguous()
        Lo = L + 2 * self.pad - self.dil * (self.k - 1)
        s0, s1, s2 = xp.stride()
        cols = xp.as_strided((N, C, self.k, Lo), (s0, s1, self.dil * s2, s2))
        y = torch.einsum('nckl,ck->ncl', cols, self.conv.weight[:, 0]) + self.conv.bias[None, :, None]
        bn = self.bn
        if self.training:
            bn.num_batches_tracked.add_(1)
        y = F.batch_norm(y, bn.running_mean, bn.running_var, bn.weight, bn.bias, self.training, bn.momentum, bn.eps)
        return y * (0.5 * torch.erfc(y * (-1.0 / math.sqrt(2.0))))
