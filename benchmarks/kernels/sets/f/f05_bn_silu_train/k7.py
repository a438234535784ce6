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
            flat = x.transpose(0, 1).reshape(x.shape[1], -1)
            mean = flat.mean(1)
            var = (flat - mean[:, None]).pow(2).sum(1) / n
            with torch.no_grad():
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * (n / (n - 1)), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        y = (x - mean[None, :, None]) * (var + bn.eps).rsqrt()[None, :, None]
        return F.silu(y * bn.weight[None, :, None] + bn.bias[None, :, None])
