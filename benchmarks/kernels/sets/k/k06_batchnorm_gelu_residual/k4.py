import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Single pass for the statistics, shifted by the channel's first sample and summed wide."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bn = nn.BatchNorm1d(num_features, eps=eps, momentum=momentum)

    def forward(self, x, residual):
        bn = self.bn
        flat = x.transpose(0, 1).reshape(x.shape[1], -1)
        if self.training:
            n = flat.shape[1]
            k = flat[:, :1].detach()
            d = (flat - k).double()
            s1, s2 = d.sum(1), (d * d).sum(1)
            mean = k.squeeze(1).double() + s1 / n
            var = (s2 - s1 * s1 / n) / n
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                m = bn.momentum
                bn.running_mean.copy_((1 - m) * bn.running_mean + m * mean)
                bn.running_var.copy_((1 - m) * bn.running_var + m * var * n / (n - 1))
            mean, var = mean.to(x.dtype), var.to(x.dtype)
        else:
            mean, var = bn.running_mean, bn.running_var
        inv = 1.0 / torch.sqrt(var + bn.eps)
        y = (flat - mean[:, None]) * (inv * bn.weight)[:, None] + bn.bias[:, None]
        y = y.view(x.shape[1], x.shape[0], *x.shape[2:]).transpose(0, 1)
        return F.gelu(y) + residual
