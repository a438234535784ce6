import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        bn = self.bn
        if bn.training:
            mean = x.mean(dim=(0, 2, 3), keepdim=True)
            var = (x - mean).square().mean(dim=(0, 2, 3), keepdim=True)
        else:
            mean = bn.running_mean.view(1, -1, 1, 1)
            var = bn.running_var.view(1, -1, 1, 1)
        scale = torch.rsqrt(var + bn.eps) * bn.weight.view(1, -1, 1, 1)
        return (x - mean) * scale + bn.bias.view(1, -1, 1, 1)
