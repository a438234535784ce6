import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """One pass over data shifted by the first sample; partial sums per batch entry in double."""

    def __init__(self, features, eps, momentum):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, eps=eps, momentum=momentum)
    def forward(self, x):
        bn = self.bn
        if self.training:
            n = x.shape[0] * x.shape[2]
            pivot = x[0, :, 0].detach().double()
            z = x.double() - pivot[None, :, None]
            s1 = z.sum(2).sum(0)
            s2 = z.square().sum(2).sum(0)
            d = s1 / n
            mean = pivot + d
            var = s2 / n - d * d
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                m = bn.momentum
                bn.running_mean.copy_((1 - m) * bn.running_mean.double() + m * mean)
                bn.running_var.copy_((1 - m) * bn.running_var.double() + m * var * n / (n - 1))
        else:
            mean, var = bn.running_mean.double(), bn.running_var.double()
        inv = bn.weight.double() * (var + bn.eps).rsqrt()
        y = (x.double() - mean[None, :, None]) * inv[None, :, None] + bn.bias.double()[None, :, None]
        return (y * torch.sigmoid(y)).to(x.dtype)
