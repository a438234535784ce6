"""Masked batch norm on compacted rows: invalid positions are dropped before any arithmetic."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x, mask):
        rows = x[mask]                                               # (n, C)
        if self.training:
            n = rows.shape[0]
            if n == 0:
                return torch.zeros_like(x)
            var, mean = torch.var_mean(rows, dim=0, correction=0)
            with torch.no_grad():
                self.num_batches_tracked += 1
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (var - self.running_var)
        else:
            mean, var = self.running_mean, self.running_var
        y = (rows - mean) * (torch.rsqrt(var + self.eps) * self.weight) + self.bias
        out = torch.zeros_like(x)
        out[mask] = y
        return out
