import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, features, eps, momentum):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, eps=eps, momentum=momentum)
    def forward(self, x):
        bn = self.bn
        n = x.shape[0] * x.shape[2]
        var, mean = torch.var_mean(x, dim=(0, 2), unbiased=False, keepdim=True)
        if self.training:
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean.flatten(), bn.momentum)
                bn.running_var.lerp_(var.flatten() * (n / (n - 1)), bn.momentum)
        y = (x - mean) * torch.rsqrt(var + bn.eps)
        y = y * bn.weight[None, :, None] + bn.bias[None, :, None]
        return y * y.sigmoid()
