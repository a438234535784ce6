import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        d = self.norm.weight.shape[0]
        axis = list(x.shape).index(d)
        mean = x.sum(axis, keepdim=True) / d
        c = x - mean
        var = (c * c).sum(axis, keepdim=True) / d
        y = c * torch.rsqrt(var + self.norm.eps)
        return y * self.norm.weight + self.norm.bias
