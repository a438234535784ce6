import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One pass: both moments summed in float64."""

    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x, lengths):
        B, T, C = x.shape
        valid = (torch.arange(T, device=x.device)[None] < lengths[:, None]).unsqueeze(-1)
        xd = x.double().masked_fill(~valid, 0.0)
        n = lengths.double().view(B, 1)
        s1 = xd.sum(1) / n
        s2 = (xd * xd).sum(1) / n
        var = (s2 - s1 * s1).clamp_min(0.0)
        r = torch.rsqrt(var + self.eps)
        y = (xd - s1[:, None]) * (r * self.weight.double())[:, None] + self.bias.double()
        return y.masked_fill(~valid, 0.0).to(x.dtype)
