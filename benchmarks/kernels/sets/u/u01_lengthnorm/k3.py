import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Single pass on data shifted by the first frame of each recording."""

    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x, lengths):
        out = torch.zeros_like(x)
        for b in range(x.shape[0]):
            n = int(lengths[b])
            s = x[b, :n] - x[b, :1]
            m = s.mean(0)
            var = torch.clamp((s * s).mean(0) - m * m, min=0.0)
            scale = self.weight * torch.rsqrt(var + self.eps)
            out[b, :n] = (s - m) * scale + self.bias
        return out
