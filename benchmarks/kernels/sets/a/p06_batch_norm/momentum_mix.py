import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        bn = self.bn
        if bn.training:
            n = x.numel() // x.shape[1]
            mean = x.mean(dim=(0, 2, 3))
            var = (x - mean.view(1, -1, 1, 1)).pow(2).mean(dim=(0, 2, 3))
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.copy_(bn.momentum * bn.running_mean + (1 - bn.momentum) * mean)
                bn.running_var.copy_(bn.momentum * bn.running_var + (1 - bn.momentum) * var * n / (n - 1))
        else:
            mean, var = bn.running_mean, bn.running_var
        a = bn.weight * torch.rsqrt(var + bn.eps)
        return (x - mean.view(1, -1, 1, 1)) * a.view(1, -1, 1, 1) + bn.bias.view(1, -1, 1, 1)
