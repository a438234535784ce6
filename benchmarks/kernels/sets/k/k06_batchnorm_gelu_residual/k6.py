import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Two-pass statistics, affine and activation in a single sweep."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bn = nn.BatchNorm1d(num_features, eps=eps, momentum=momentum)

    def forward(self, x, residual):
        bn = self.bn
        v = [1, -1] + [1] * (x.dim() - 2)
        dims = [0] + list(range(2, x.dim()))
        if self.training:
            n = x.numel() // x.shape[1]
            mean = x.mean(dim=dims)
            var = (x - mean.view(v)).square().mean(dim=dims)
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * (n / (n - 1)), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        y = (x - mean.view(v)) * (bn.weight * torch.rsqrt(var + bn.eps)).view(v) + bn.bias.view(v)
        inner = 0.7978845608028654 * (y + 0.044715 * y * y * y)
        return 0.5 * y * (1.0 + torch.tanh(inner)) + residual
