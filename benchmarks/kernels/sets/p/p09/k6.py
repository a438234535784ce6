"""Masked batch norm, fused: moments, normalisation and affine part in one expression chain."""
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
        valid = mask.unsqueeze(2)
        zero = torch.zeros((), dtype=x.dtype, device=x.device)
        xv = torch.where(valid, x, zero)
        n = mask.sum().clamp(min=1).to(x.dtype)
        mean = xv.sum((0, 1)) / n
        centred = torch.where(valid, xv - mean, zero)
        var = centred.square().sum((0, 1)) / n
        if self.training and bool(mask.any()):
            with torch.no_grad():
                unbiased = var * (n / (n - 1).clamp(min=1))
                self.running_mean.mul_(1 - self.momentum).add_(self.momentum * mean)
                self.running_var.mul_(1 - self.momentum).add_(self.momentum * unbiased)
                self.num_batches_tracked += 1
        y = centred * (self.weight * torch.rsqrt(var + self.eps)) + self.bias
        return torch.where(valid, y, zero)
