import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Two-pass statistics, affine folded into one multiply-add."""

    def __init__(self, features, eps, momentum):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, eps=eps, momentum=momentum)
    def forward(self, x):
        bn = self.bn
        if self.training:
            n = x.shape[0] * x.shape[2]
            mean = x.mean(dim=(0, 2))
            xc = x - mean[None, :, None]
            var = xc.square().mean(dim=(0, 2))
            with torch.no_grad():
                bn.num_batches_tracked += 1
                bn.running_mean.lerp_(mean.detach(), bn.momentum)
                bn.running_var.lerp_(var.detach() * (n / (n - 1)), bn.momentum)
        else:
            xc = x - bn.running_mean[None, :, None]
            var = bn.running_var
        g = bn.weight * torch.rsqrt(var + bn.eps)
        y = torch.addcmul(bn.bias[None, :, None], xc, g[None, :, None])
        return y * torch.sigmoid(y)
