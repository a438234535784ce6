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

    def _folded(self):
        # in eval mode the batch norm is a fixed affine map: fold it into the filter, once
        if getattr(self, "_fold", None) is None:
            g = self.bn.weight * torch.rsqrt(self.bn.running_var + self.bn.eps)
            w = (self.conv.weight * g[:, None, None]).detach()
            b = (-self.bn.running_mean * g + self.bn.bias).detach()
            self._fold = (w, b)
        return self._fold

    def forward(self, x):
        if not self.training and not torch.is_grad_enabled():
            w, b = self._folded()
            L = x.shape[-1]
            xp = F.pad(x, (self.pad, 0), mode="replicate")
            t = b[:, None].expand(x.shape[0], -1, L)
            for i in range(self.kernel_size):
                o = i * self.dilation
                t = torch.addcmul(t, xp[..., o : o + L], w[:, 0, i, None])
            return t * torch.sigmoid(t)
        y = self._conv(x)
        bn = self.bn
        if self.training:
            var, mean = torch.var_mean(y, dim=(0, 2), correction=0)
            n = y.shape[0] * y.shape[2]
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.lerp_(mean, bn.momentum)
                bn.running_var.lerp_(var * n / (n - 1), bn.momentum)
        else:
            mean, var = bn.running_mean, bn.running_var
        t = (y - mean[:, None]) * (bn.weight * torch.rsqrt(var + bn.eps))[:, None] + bn.bias[:, None]
        return t * torch.sigmoid(t)
