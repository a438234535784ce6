import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, eps):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, eps=eps, affine=True)
        self.eps = eps

    def forward(self, x, skip):
        var, mean = torch.var_mean(x, dim=(2, 3), keepdim=True)
        scale = torch.rsqrt(var + self.eps) * self.norm.weight.view(1, -1, 1, 1)
        y = (x - mean) * scale + self.norm.bias.view(1, -1, 1, 1)
        return torch.clamp(y + skip, 0.0, 6.0)
