"""Ragged batch norm: statistics first (float64), then one fused scale and shift."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    @torch.no_grad()
    def _stats(self, x, valid, n):
        if not self.training or n == 0:
            return self.running_mean.double(), self.running_var.double()
        xd = torch.where(valid, x, 0.0).double()
        mean = xd.sum((0, 2)) / n
        ssq = torch.where(valid, xd - mean[:, None], 0.0).square().sum((0, 2))
        self.num_batches_tracked += 1
        m = self.momentum
        if m is None:
            m = 1.0 / int(self.num_batches_tracked)
        self.running_mean += m * (mean - self.running_mean)
        self.running_var += m * (ssq / max(n - 1, 1) - self.running_var)
        return mean, ssq / n

    def forward(self, x, lengths):
        valid = (torch.arange(x.shape[2]) < lengths[:, None])[:, None, :]
        mean, var = self._stats(x, valid, int(lengths.sum()))
        inv = (var + self.eps).rsqrt().float()[:, None]
        y = (x.masked_fill(~valid, 0.0) - mean.float()[:, None]) * inv * self.weight[:, None] + self.bias[:, None]
        return torch.where(valid, y, 0.0)
