import math
import torch
import torch.nn as nn
import torch.nn.functional as F

INV_SQRT2 = 0.70710678118654752440


def _erf_gelu(v):
    return 0.5 * v * (1.0 + torch.erf(v * INV_SQRT2))


class ModelNew(nn.Module):
    def __init__(self, in_ch, out_ch, k, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, k, groups=groups, bias=True)
        self.bn = nn.BatchNorm2d(out_ch)

    def forward(self, x):
        c = self.conv
        B, Ci, H, W = x.shape
        G, k = c.groups, c.kernel_size[0]
        Co = c.out_channels
        H, W = H - k + 1, W - k + 1
        cols = F.unfold(x, k).view(B, G, (Ci // G) * k * k, H * W)
        w = c.weight.view(1, G, Co // G, -1)
        y = torch.matmul(w, cols).reshape(B, Co, H, W) + c.bias.view(1, -1, 1, 1)
        return _erf_gelu(self.bn(y))
