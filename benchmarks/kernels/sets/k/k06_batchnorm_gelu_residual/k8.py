import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """One read of the input gives both moments."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bn = nn.BatchNorm1d(num_features, eps=eps, momentum=momentum)

    def forward(self, x, residual):
        bn = self.bn
        v = [1, -1] + [1] * (x.dim() - 2)
        dims = [0] + list(range(2, x.dim()))
        if self.training:
            n = x.numel() // x.shape[1]
            mean = x.sum(dim=dims) / n
            var = ((x * x).sum(dim=dims) / n - mean * mean).clamp(min=0.0)
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * (n / (n - 1)), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        y = (x - mean.view(v)) * (bn.weight * torch.rsqrt(var + bn.eps)).view(v) + bn.bias.view(v)
        return F.gelu(y) + residual
