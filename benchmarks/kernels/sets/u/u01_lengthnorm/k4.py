import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Fused statistics: sum and sum of squares in a single sweep."""

    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x, lengths):
        B, T, C = x.shape
        valid = (torch.arange(T, device=x.device)[None] < lengths[:, None]).unsqueeze(-1)
        xm = torch.where(valid, x, torch.zeros_like(x))
        n = lengths.to(x.dtype).view(B, 1)
        mean = xm.sum(1) / n
        var = ((xm * xm).sum(1) / n - mean * mean).clamp_min(0.0)
        y = (x - mean[:, None]) * torch.rsqrt(var + self.eps)[:, None]
        y = y * self.weight + self.bias
        return torch.where(valid, y, torch.zeros_like(y))
