import torch
import torch.nn as nn


class MomentsGroupNorm(nn.Module):
    def __init__(self, groups=2, channels=8):
        super().__init__()
        self.groups = groups
        self.register_buffer("scale", 1.0 + 0.05 * torch.arange(channels))

    def forward(self, x):
        b, c = x.shape[:2]
        g = x.reshape(b, self.groups, -1)
        m = g.mean(-1, keepdim=True)
        v = (g * g).mean(-1, keepdim=True) - m * m
        y = (g - m) * torch.rsqrt(v.clamp(min=0) + 1e-5)
        return y.reshape(x.shape) * self.scale.to(x.dtype).view(1, c, 1, 1)


class TwoPassGroupNorm(nn.Module):
    def __init__(self, groups=2, channels=8):
        super().__init__()
        self.groups = groups
        self.register_buffer("scale", 1.0 + 0.05 * torch.arange(channels))

    def forward(self, x):
        b, c = x.shape[:2]
        g = x.reshape(b, self.groups, -1)
        d = g - g.mean(-1, keepdim=True)
        v = (d * d).mean(-1, keepdim=True)
        y = d / torch.sqrt(v + 1e-5)
        return y.reshape(x.shape) * self.scale.to(x.dtype).view(1, c, 1, 1)


actual = MomentsGroupNorm()
expected = TwoPassGroupNorm()


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(3, 8, 5, 5, generator=g),)
