import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Single sweep over the data: sum and sum of squares together."""

    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.layer_scale = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        n, c, h, w = x.shape
        g = self.norm.num_groups
        flat = x.reshape(n * g, -1)
        m = flat.shape[1]
        s1 = flat.sum(1, keepdim=True)
        s2 = (flat * flat).sum(1, keepdim=True)
        mu = s1 / m
        var = (s2 / m - mu * mu).clamp_min(0)
        z = ((flat - mu) * torch.rsqrt(var + self.norm.eps)).reshape(n, c, h, w)
        z = z * self.norm.weight.view(1, c, 1, 1) + self.norm.bias.view(1, c, 1, 1)
        return x + self.layer_scale.view(1, c, 1, 1) * z * torch.sigmoid(z)
