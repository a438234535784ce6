import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Single pass: sum and sum of squares together, scale/shift form."""

    def __init__(self, features, eps, momentum):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, eps=eps, momentum=momentum)
    def forward(self, x):
        bn = self.bn
        if self.training:
            n = x.shape[0] * x.shape[2]
            s1 = x.sum(dim=(0, 2))
            s2 = (x * x).sum(dim=(0, 2))
            mean = s1 / n
            var = (s2 / n - mean * mean).clamp_min(0)
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * (n / (n - 1)), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        scale = bn.weight * torch.rsqrt(var + bn.eps)
        shift = bn.bias - mean * scale
        return F.silu(x * scale[None, :, None] + shift[None, :, None])
