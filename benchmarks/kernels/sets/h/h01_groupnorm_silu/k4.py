import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.groups = groups
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.2 * torch.randn(channels))
        self.bias = nn.Parameter(0.1 * torch.randn(channels))

    def _affine(self, y, x):
        y = y.reshape(x.shape)
        shape = (1, -1) + (1,) * (x.dim() - 2)
        y = y * self.weight.view(shape) + self.bias.view(shape)
        return y * torch.sigmoid(y)

    def forward(self, x):
        n = x.shape[0]
        g = x.reshape(n, self.groups, -1)
        var, mean = torch.var_mean(g, dim=2, keepdim=True)
        return self._affine((g - mean) * torch.rsqrt(var + self.eps), x)
