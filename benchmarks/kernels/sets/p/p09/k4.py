"""Masked batch norm with one-pass statistics: E[x^2] - E[x]^2 from a single sweep over x."""
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
        m = mask.unsqueeze(-1)
        xv = x.masked_fill(~m, 0.0)
        if self.training:
            n = int(mask.sum())
            inv_n = 1.0 / max(n, 1)
            flat = xv.flatten(0, 1)
            mean = flat.sum(0) * inv_n
            var = (torch.einsum("nc,nc->c", flat, flat) * inv_n - mean * mean).clamp(min=0.0)
            if n > 0:
                with torch.no_grad():
                    self.running_mean.lerp_(mean, self.momentum)
                    self.running_var.lerp_(var * (n / max(n - 1, 1)), self.momentum)
                    self.num_batches_tracked += 1
        else:
            mean, var = self.running_mean, self.running_var
        scale = torch.rsqrt(var + self.eps) * self.weight
        shift = self.bias - mean * scale
        return (xv * scale + shift).masked_fill(~m, 0.0)
