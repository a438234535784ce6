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
        total = g.shape[2]
        block = 64
        count = 0
        mean = torch.zeros(n, self.groups, 1, dtype=x.dtype)
        m2 = torch.zeros(n, self.groups, 1, dtype=x.dtype)
        for s in range(0, total, block):
            t = g[:, :, s:s + block]
            c = t.shape[2]
            tm = t.mean(dim=2, keepdim=True)
            tm2 = (t - tm).square().sum(dim=2, keepdim=True)
            delta = tm - mean
            new = count + c
            mean = mean + delta * (c / new)
            m2 = m2 + tm2 + delta * delta * (count * c / new)
            count = new
        y = (g - mean) / torch.sqrt(m2 / total + self.eps)
        return self._affine(y, x)
