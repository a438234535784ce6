import torch
import torch.nn as nn
import torch.nn.functional as F


class _BnSilu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y, weight, bias, mean, var, eps, batch_stats):
        inv = torch.rsqrt(var + eps)[:, None]
        xhat = (y - mean[:, None]) * inv
        t = xhat * weight[:, None] + bias[:, None]
        s = torch.sigmoid(t)
        ctx.save_for_backward(xhat, weight, inv, t, s)
        ctx.batch_stats = batch_stats
        return t * s

    @staticmethod
    def backward(ctx, g):
        xhat, weight, inv, t, s = ctx.saved_tensors
        gt = g * s * (1.0 + t * (1.0 - s))
        db = gt.sum(dim=(0, 2))
        dw = (gt * xhat).sum(dim=(0, 2))
        if ctx.batch_stats:
            n = g.shape[0] * g.shape[2]
            gy = gt - db[:, None] / n - xhat * (dw[:, None] / n)
        else:
            gy = gt
        return gy * weight[:, None] * inv, dw, db, None, None, None, None


class ModelNew(nn.Module):
    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.pad = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(channels, channels, kernel_size, dilation=dilation, groups=channels, bias=False)
        self.bn = nn.BatchNorm1d(channels)

    def _conv(self, x):
        L = x.shape[-1]
        xp = F.pad(x, (self.pad, 0), mode="replicate")
        w = self.conv.weight
        y = torch.zeros(x.shape[0], x.shape[1], L, dtype=x.dtype, device=x.device)
        for i in range(self.kernel_size):
            y = torch.addcmul(y, xp[..., i * self.dilation : i * self.dilation + L], w[:, 0, i, None])
        return y

    def forward(self, x):
        y = self._conv(x)
        bn = self.bn
        if self.training:
            with torch.no_grad():
                n = y.shape[0] * y.shape[2]
                mean = y.mean(dim=(0, 2))
                var = (y - mean[:, None]).pow(2).mean(dim=(0, 2))
                bn.running_mean.mul_(1.0 - bn.momentum).add_(mean, alpha=bn.momentum)
                bn.running_var.mul_(1.0 - bn.momentum).add_(var, alpha=bn.momentum * n / (n - 1))
                bn.num_batches_tracked.add_(1)
        else:
            # copies: the buffers may change before the backward
            mean, var = bn.running_mean.clone(), bn.running_var.clone()
        return _BnSilu.apply(y, bn.weight, bn.bias, mean, var, bn.eps, self.training)
