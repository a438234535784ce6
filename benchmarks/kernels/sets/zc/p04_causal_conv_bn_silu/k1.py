import torch
import torch.nn as nn
import torch.nn.functional as F


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
            var, mean = torch.var_mean(y, dim=(0, 2), correction=0)
            n = y.shape[0] * y.shape[2]
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * (n / (n - 1)), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        scale = bn.weight * torch.rsqrt(var + bn.eps)
        t = (y - mean[:, None]) * scale[:, None] + bn.bias[:, None]
        return t * torch.sigmoid(t)
