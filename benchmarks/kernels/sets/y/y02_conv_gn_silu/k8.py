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
    """Convolution by strided windows over the flat padded image."""

    def conv_flat(self, x):
        N, C, H, W = x.shape
        p = self.dil * (self.ks // 2)
        pitch = H + 2 * p
        xp = F.pad(x, (p, p, p, p)).contiguous()
        plane = xp.shape[2] * xp.shape[3]
        out = self.conv.bias[:, None]
        for dy in range(self.ks):
            for dx in range(self.ks):
                win = torch.as_strided(xp, (N, C, H, W), (C * plane, plane, pitch, 1),
                                       dy * self.dil * pitch + dx * self.dil)
                out = out + self.conv.weight[:, :, dy, dx] @ win.reshape(N, C, H * W)
        return out

    def forward(self, x):
        N, C, H, W = x.shape
        y = self.conv_flat(x).reshape(N, self.groups, -1)
        mean = y.mean(-1, keepdim=True)
        c = y - mean
        z = (c * torch.rsqrt(c.square().mean(-1, keepdim=True) + self.eps)).reshape(N, C, H, W)
        z = z * self.norm.weight[:, None, None] + self.norm.bias[:, None, None]
        return z * torch.sigmoid(z) + x
