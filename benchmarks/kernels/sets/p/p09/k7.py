"""Masked batch norm as an autograd.Function; the backward pass uses the classic batch-norm formula."""
import torch
import torch.nn as nn


class _BN(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, m, w, b, mean, rstd, batch_stats):
        xhat = torch.where(m, (x - mean) * rstd, torch.zeros_like(x))
        ctx.save_for_backward(xhat, m, w, rstd)
        ctx.batch_stats = batch_stats
        return torch.where(m, xhat * w + b, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, gy):
        xhat, m, w, rstd = ctx.saved_tensors
        gy = gy.masked_fill(~m, 0.0)
        gw = (gy * xhat).sum(dim=(0, 1))
        gb = gy.sum(dim=(0, 1))
        gxhat = gy * w
        if ctx.batch_stats:
            gx = rstd * (gxhat - gxhat.mean(dim=(0, 1)) - xhat * (gxhat * xhat).mean(dim=(0, 1)))
        else:
            gx = rstd * gxhat
        return gx.masked_fill(~m, 0.0), None, gw, gb, None, None, None


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
        if self.training:
            with torch.no_grad():
                v = x[mask]
                n = v.shape[0]
                if n > 0:
                    var, mean = torch.var_mean(v, dim=0, correction=0)
                    self.running_mean.lerp_(mean, self.momentum)
                    self.running_var.lerp_(var * (n / max(n - 1, 1)), self.momentum)
                    self.num_batches_tracked += 1
                else:
                    mean, var = torch.zeros_like(self.running_mean), torch.zeros_like(self.running_var)
        else:
            mean, var = self.running_mean.clone(), self.running_var.clone()
        rstd = torch.rsqrt(var + self.eps)
        return _BN.apply(x, m, self.weight, self.bias, mean, rstd, self.training)
