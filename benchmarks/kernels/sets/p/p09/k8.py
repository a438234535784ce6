"""Masked batch norm without gathers or selects: the mask is a 0/1 weight, so the reductions are plain GEMVs."""
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
        b, l, c = x.shape
        flat = x.reshape(b * l, c)
        w = mask.reshape(1, b * l).to(x.dtype)
        if self.training:
            n = int(mask.sum())
            mean = (w @ flat)[0] / max(n, 1)
            d = flat - mean
            var = (w @ (d * d))[0] / max(n, 1)
            if n:
                with torch.no_grad():
                    self.running_mean.lerp_(mean, self.momentum)
                    self.running_var.lerp_(var * (n / max(n - 1, 1)), self.momentum)
                    self.num_batches_tracked += 1
        else:
            d = flat - self.running_mean
            var = self.running_var
        y = d * (torch.rsqrt(var + self.eps) * self.weight) + self.bias
        return (y * w.t()).view(b, l, c)
