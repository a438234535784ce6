import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Centred two-pass with the mask folded into the centred values."""

    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x, lengths):
        B, T, C = x.shape
        m = (torch.arange(T, device=x.device)[None] < lengths[:, None]).to(x.dtype).unsqueeze(-1)
        inv_n = 1.0 / lengths.to(x.dtype).view(B, 1, 1)
        mean = (x * m).sum(1, keepdim=True) * inv_n
        d = (x - mean) * m
        rstd = torch.rsqrt((d * d).sum(1, keepdim=True) * inv_n + self.eps)
        return torch.addcmul(self.bias, d * rstd, self.weight)
