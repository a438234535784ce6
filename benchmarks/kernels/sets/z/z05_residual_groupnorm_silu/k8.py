import numpy as np
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, num_channels, num_groups, eps=1e-5, act=True):
        super().__init__()
        self.num_channels = num_channels
        self.num_groups = num_groups
        self.eps = eps
        self.act = act
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(num_channels))
        self.bias = nn.Parameter(0.1 * torch.randn(num_channels))

    def forward(self, x, residual):
        h = (x.float() + residual.float()).contiguous()
        a = h.numpy().reshape(h.shape[0], self.num_channels, int(np.prod(h.shape[2:], dtype=np.int64)))
        cg = self.num_channels // self.num_groups
        w = self.weight.detach().numpy()
        b = self.bias.detach().numpy()
        y = np.empty_like(a)
        for n in range(a.shape[0]):
            for g in range(self.num_groups):
                rows = slice(g * cg, (g + 1) * cg)
                blk = a[n, rows].astype(np.float64)
                shift = blk.flat[0]                      # shifted data keeps the two sums small
                c = blk - shift
                m = c.mean()
                var = max((c * c).mean() - m * m, 0.0)
                y[n, rows] = (c - m) / np.sqrt(var + self.eps) * w[rows, None] + b[rows, None]
        if self.act:
            with np.errstate(over="ignore"):
                y = y / (1.0 + np.exp(-y))
        return torch.from_numpy(y).reshape(h.shape).to(x.dtype), h.to(x.dtype)
