import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One pass: sum and sum of squares together, tile by tile."""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.ln = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        d = x.shape[-1]
        s1 = torch.zeros_like(x[..., :1])
        s2 = torch.zeros_like(s1)
        for c in range(0, d, 1024):
            t = x[..., c:c + 1024]
            s1 = s1 + t.sum(-1, keepdim=True)
            s2 = s2 + (t * t).sum(-1, keepdim=True)
        mean = s1 / d
        var = (s2 / d - mean * mean).clamp_min(0)
        return (x - mean) * torch.rsqrt(var + self.ln.eps) * self.ln.weight + self.ln.bias
