import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Single sweep: both moments are accumulated tile by tile."""

    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        d = x.shape[-1]
        s1 = torch.zeros_like(x[..., :1])
        s2 = torch.zeros_like(s1)
        for j in range(0, d, 24):
            t = x[..., j:j + 24]
            s1 = s1 + t.sum(-1, keepdim=True)
            s2 = s2 + (t * t).sum(-1, keepdim=True)
        mean = s1 / d
        var = torch.clamp(s2 / d - mean * mean, min=0.0)
        return (x - mean) * torch.rsqrt(var + self.norm.eps) * self.norm.weight + self.norm.bias
