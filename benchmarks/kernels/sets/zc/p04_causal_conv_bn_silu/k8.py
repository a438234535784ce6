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

    def forward(self, x):
        B, C, L = x.shape
        w = self.conv.weight
        y = torch.zeros_like(x)
        for i in range(self.kernel_size):
            back = self.pad - i * self.dilation
            src = (torch.arange(L, device=x.device) - back).clamp_min(0)
            y = y + w[:, 0, i, None] * x[..., src]
        flat = y.transpose(0, 1).reshape(C, B * L)
        mean = flat.mean(dim=1)
        var = flat.var(dim=1, unbiased=False)
        if self.training:
            with torch.no_grad():
                n = B * L
                self.bn.num_batches_tracked.add_(1)
                self.bn.running_mean.lerp_(mean, self.bn.momentum)
                self.bn.running_var.lerp_(var * n / (n - 1), self.bn.momentum)
        t = (y - mean[:, None]) * torch.rsqrt(var + self.bn.eps)[:, None]
        t = t * self.bn.weight[:, None] + self.bn.bias[:, None]
        return t * torch.sigmoid(t)
