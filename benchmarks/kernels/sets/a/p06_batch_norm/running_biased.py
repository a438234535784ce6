import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        bn = self.bn
        if bn.training:
            mean = x.mean(dim=(0, 2, 3))
            var = (x - mean.view(1, -1, 1, 1)).pow(2).mean(dim=(0, 2, 3))
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.mul_(0.9).add_(0.1 * mean)
                bn.running_var.mul_(0.9).add_(0.1 * var)
        else:
            mean, var = bn.running_mean, bn.running_var
        a = bn.weight * torch.rsqrt(var + bn.eps)
        return (x - mean.view(1, -1, 1, 1)) * a.view(1, -1, 1, 1) + bn.bias.view(1, -1, 1, 1)
