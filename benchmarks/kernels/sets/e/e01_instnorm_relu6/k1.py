import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Two-pass instance norm fused with the residual and the clamp."""

    def __init__(self, channels, eps):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, eps=eps, affine=True)
        self.eps = eps

    def forward(self, x, skip):
        n, c, h, w = x.shape
        xf = x.reshape(n, c, h * w)
        mean = xf.mean(dim=2, keepdim=True)
        d = xf - mean
        var = (d * d).mean(dim=2, keepdim=True)
        scale = torch.rsqrt(var + self.eps) * self.norm.weight.view(1, c, 1)
        y = torch.addcmul(self.norm.bias.view(1, c, 1), d, scale)
        return nn.functional.relu6(y.view(n, c, h, w) + skip)
