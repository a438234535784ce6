import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.layer_scale = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        n, c, h, w = x.shape
        xr = x.reshape(n, self.norm.num_groups, -1)
        var, mean = torch.var_mean(xr, dim=-1, keepdim=True)
        z = ((xr - mean) * torch.rsqrt(var + self.norm.eps)).reshape(n, c, h, w)
        z = z * self.norm.weight.view(1, c, 1, 1) + self.norm.bias.view(1, c, 1, 1)
        return x + self.layer_scale.view(1, c, 1, 1) * z * torch.sigmoid(z)
