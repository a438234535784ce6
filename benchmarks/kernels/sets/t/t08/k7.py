"""Ragged batch norm with a multiplicative 0/1 mask."""
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

    def forward(self, x, lengths):
        mask = (torch.arange(x.shape[2]) < lengths[:, None]).to(x.dtype)[:, None, :]
        n = int(lengths.sum())
        if self.training and n > 0:
            mean = (x * mask).sum((0, 2)) / n
            ssq = (((x - mean[:, None]) * mask) ** 2).sum((0, 2))
            var = ssq / n
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1.0 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
                self.running_mean.mul_(1 - m).add_(m * mean)
                self.running_var.mul_(1 - m).add_(m * ssq / max(n - 1, 1))
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean[:, None]) * torch.rsqrt(var + self.eps)[:, None] * self.weight[:, None] + self.bias[:, None]
        return y * mask
