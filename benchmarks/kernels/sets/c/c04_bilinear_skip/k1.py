import torch
import torch.nn as nn
import torch.nn.functional as F

TILE_C = 8


def fused_upsample_kernel(x, skip, gain):
    out = torch.empty_like(skip)
    for c0 in range(0, x.shape[1], TILE_C):
        sl = slice(c0, c0 + TILE_C)
        tile = F.interpolate(x[:, sl], size=skip.shape[-2:], mode="bilinear", align_corners=False)
        out[:, sl] = tile + gain[sl] * skip[:, sl]
    return out


class ModelNew(nn.Module):
    """Optimised fused upsample + skip kernel."""

    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)

    def forward(self, x, skip):
        return fused_upsample_kernel(x, skip, self.gain)
