import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Training: float64 statistics. Eval: batch norm folded in the conv weights at call time."""

    def __init__(self, channels, kernel, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel, dilation=dilation,
                              padding=dilation * (kernel - 1) // 2, groups=channels)
        self.bn = nn.BatchNorm1d(channels)
        self.k = kernel
        self.dil = dilation
        self.pad = dilation * (kernel - 1) // 2

    def forward(self, x):
        bn, cv = self.bn, self.conv
        if not self.training:
            s = bn.weight * torch.rsqrt(bn.running_var + bn.eps)
            w = cv.weight * s[:, None, None]
            b = torch.addcmul(bn.bias, cv.bias - bn.running_mean, s)
            return F.gelu(F.conv1d(x, w, b, padding=self.pad, dilation=self.dil, groups=x.shape[1]))
        y = F.conv1d(x, cv.weight, cv.bias, padding=self.pad, dilation=self.dil, groups=x.shape[1]).double()
        n = y.shape[0] * y.shape[2]
        mean = y.sum((0, 2)) / n
        yc = y - mean[:, None]
        var = (yc * yc).sum((0, 2)) / n
        with torch.no_grad():
            m = bn.momentum
            bn.num_batches_tracked += 1
            bn.running_mean.mul_(1 - m).add_(mean.to(x.dtype), alpha=m)
            bn.running_var.mul_(1 - m).add_((var * n / (n - 1)).to(x.dtype), alpha=m)
        z = yc * (bn.weight.double() / torch.sqrt(var + bn.eps))[:, None] + bn.bias.double()[:, None]
        return F.gelu(z).to(x.dtype)
