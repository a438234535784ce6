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
    def conv_im2col(self, x):
        N, C, H, W = x.shape
        cols = F.unfold(x, self.ks, dilation=self.dil, padding=self.dil * (self.ks // 2))
        return torch.baddbmm(self.conv.bias[None, :, None], self.conv.weight.reshape(1, C, -1).expand(N, -1, -1), cols)

    def forward(self, x):
        N, C, H, W = x.shape
        y = self.conv_im2col(x).reshape(N, self.groups, -1)
        mean = y.mean(-1, keepdim=True)
        c = y - mean
        rstd = torch.rsqrt(c.square().mean(-1, keepdim=True) + self.eps)
        z = (c * rstd).reshape(N, C, H, W)
        return z * torch.sigmoid(z) + x
