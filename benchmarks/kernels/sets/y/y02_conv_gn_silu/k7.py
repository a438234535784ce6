import torch
import torch.nn as nn
import torch.nn.functional as F


class _Base(nn.Module):
    def __init__(self, channels, kernel_size, dilation, groups, eps):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, dilation=dilation,
                              padding=dilation * (kernel_size // 2))
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.ks, self.dil, self.groups, self.eps = kernel_size, dilation, groups, eps


class ModelNew(_Base):
    def conv_taps(self, x):
        # implicit GEMM: one small matrix product per filter tap
        N, C, H, W = x.shape
        p = self.dil * (self.ks // 2)
        xp = F.pad(x, (p, p, p, p))
        out = None
        for dy in range(self.ks):
            for dx in range(self.ks):
                win = xp[:, :, dy * self.dil:dy * self.dil + H, dx * self.dil:dx * self.dil + W]
                t = self.conv.weight[:, :, dy, dx] @ win.reshape(N, C, H * W)
                out = t if out is None else out + t
        return out + self.conv.bias[:, None]

    def forward(self, x):
        N, C, H, W = x.shape
        y = self.conv_taps(x).reshape(N, self.groups, -1)
        mean = y.mean(-1, keepdim=True)
        rstd = 1.0 / torch.sqrt(y.var(-1, keepdim=True) + self.eps)
        z = ((y - mean) * rstd).reshape(N, C, H, W)
        z = z * self.norm.weight[:, None, None] + self.norm.bias[:, None, None]
        return z * torch.sigmoid(z) + x
