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
            # one pass over y: sum and sum of squares together
            n = y.shape[0] * y.shape[2]
            s1 = y.sum(dim=(0, 2))
            s2 = (y * y).sum(dim=(0, 2))
            mean = s1 / n
            var = (s2 / n - mean * mean).clamp_min(0.0)
            with torch.no_grad():
                bn.num_batches_tracked += 1
                bn.running_mean.mul_(1 - bn.momentum).add_(bn.momentum * mean)
                bn.running_var.mul_(1 - bn.momentum).add_(bn.momentum * var * n / (n - 1))
        else:
            mean, var = bn.running_mean, bn.running_var
        scale = bn.weight * (var + bn.eps).rsqrt()
        shift = bn.bias - mean * scale
        t = torch.addcmul(shift[:, None], y, scale[:, None])
        return t * torch.sigmoid(t)
