import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, padding=dilation * (kernel_size // 2),
                              dilation=dilation, groups=channels, bias=True)
        self.bn = nn.BatchNorm2d(channels)
        self.gamma = nn.Parameter(torch.ones(channels, 1, 1))
        self.k = kernel_size
        self.d = dilation

    def forward(self, x):
        N, C, H, W = x.shape
        cols = F.unfold(x, self.k, dilation=self.d, padding=self.d * (self.k // 2))
        cols = cols.view(N, C, self.k * self.k, H * W)
        z = torch.einsum("nckp,ck->ncp", cols, self.conv.weight.view(C, -1))
        z = (z + self.conv.bias[:, None]).view(N, C, H, W)
        z = self.bn(z)
        return torch.addcmul(x, self.gamma, z * torch.sigmoid(z))
