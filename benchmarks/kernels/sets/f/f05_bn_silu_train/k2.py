import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features, eps, momentum):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, eps=eps, momentum=momentum)
    def forward(self, x):
        bn = self.bn
        if self.training:
            var, mean = torch.var_mean(x, dim=(0, 2), unbiased=False)
            with torch.no_grad():
                m = bn.momentum
                bn.num_batches_tracked.add_(1)
                bn.running_mean.mul_(1 - m).add_(mean, alpha=m)
                bn.running_var.mul_(1 - m).add_(var, alpha=m)
        else:
            mean, var = bn.running_mean, bn.running_var
        inv = torch.rsqrt(var + bn.eps) * bn.weight
        y = (x - mean[None, :, None]) * inv[None, :, None] + bn.bias[None, :, None]
        return F.silu(y)
