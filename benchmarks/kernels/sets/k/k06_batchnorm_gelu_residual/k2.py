import math

import torch
import torch.nn as nn


class _NormGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, mean, var, eps, batch_stats):
        v = [1, -1] + [1] * (x.dim() - 2)
        inv = torch.rsqrt(var + eps)
        xhat = (x - mean.view(v)) * inv.view(v)
        z = xhat * w.view(v) + b.view(v)
        ctx.save_for_backward(xhat, z, w, inv)
        ctx.batch_stats = batch_stats
        return z * (0.5 + 0.5 * torch.erf(z / math.sqrt(2.0)))

    @staticmethod
    def backward(ctx, g):
        xhat, z, w, inv = ctx.saved_tensors
        v = [1, -1] + [1] * (z.dim() - 2)
        dims = [0] + list(range(2, z.dim()))
        cdf = 0.5 + 0.5 * torch.erf(z / math.sqrt(2.0))
        pdf = torch.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        gz = g * (cdf + z * pdf)
        gb = gz.sum(dim=dims)
        gw = (gz * xhat).sum(dim=dims)
        scale = (w * inv).view(v)
        if ctx.batch_stats:
            m = z.numel() // z.shape[1]
            gx = scale * (gz - (gb.view(v) + xhat * gw.view(v)) / m)
        else:
            gx = scale * gz
        return gx, gw, gb, None, None, None, None


class ModelNew(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bn = nn.BatchNorm1d(num_features, eps=eps, momentum=momentum)

    def forward(self, x, residual):
        bn = self.bn
        if self.training:
            dims = [0] + list(range(2, x.dim()))
            with torch.no_grad():
                var, mean = torch.var_mean(x, dim=dims, correction=0)
                n = x.numel() // x.shape[1]
                bn.num_batches_tracked.add_(1)
                bn.running_mean += bn.momentum * (mean - bn.running_mean)
                bn.running_var += bn.momentum * (var * n / (n - 1) - bn.running_var)
        else:
            mean, var = bn.running_mean, bn.running_var
        y = _NormGelu.apply(x, bn.weight, bn.bias, mean, var, bn.eps, self.training)
        return y + residual
