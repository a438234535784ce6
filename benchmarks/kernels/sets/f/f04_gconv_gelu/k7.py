import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Tiles the output rows so that the pre-activation stays in cache."""

    TILE = 4

    def __init__(self, in_channels, out_channels, kernel_size, groups, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size,
                              stride=stride, padding=padding, groups=groups)
    def forward(self, x):
        c = self.conv
        K, s, p = c.kernel_size[0], c.stride[0], c.padding[0]
        xp = F.pad(x, (p, p, p, p))
        oh = (xp.shape[2] - K) // s + 1
        strips = []
        for r in range(0, oh, self.TILE):
            e = min(r + self.TILE, oh)
            strip = xp[:, :, r * s:(e - 1) * s + K]
            strips.append(F.gelu(F.conv2d(strip, c.weight, c.bias, s, 0, 1, c.groups)))
        return torch.cat(strips, dim=2)
