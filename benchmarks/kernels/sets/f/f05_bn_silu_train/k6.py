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
            n = x.shape[0] * x.shape[2]
            var, mean = torch.var_mean(x, dim=(0, 2), unbiased=False)
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * (n / (n - 1)), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        std = var.sqrt() + bn.eps
        y = (x - mean[None, :, None]) / std[None, :, None]
        return F.silu(torch.addcmul(bn.bias[None, :, None], y, bn.weight[None, :, None]))
