import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.layer_scale = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        n, c, h, w = x.shape
        g, cg = self.norm.num_groups, c // self.norm.num_groups
        out = torch.empty_like(x)
        wt = self.norm.weight.view(g, cg, 1, 1)
        bs = self.norm.bias.view(g, cg, 1, 1)
        for k in range(g):
            t = x[:, k * cg:(k + 1) * cg]
            mu = t.mean((1, 2, 3), keepdim=True)
            d = t - mu
            inv = torch.rsqrt(d.square().mean((1, 2, 3), keepdim=True) + self.norm.eps)
            z = d * inv * wt[k] + bs[k]
            out[:, k * cg:(k + 1) * cg] = t + z / (1 + torch.exp(-z))
        return out
