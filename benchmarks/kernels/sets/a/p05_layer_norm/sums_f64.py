import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    @torch.no_grad()
    def forward(self, x):
        d = x.shape[-1]
        xd = x.double()
        s1 = torch.zeros(x.shape[:-1], dtype=torch.float64)
        s2 = torch.zeros_like(s1)
        for j in range(0, d, 32):
            t = xd[..., j:j + 32]
            s1 += t.sum(-1)
            s2 += (t * t).sum(-1)
        mean = s1 / d
        var = (s2 / d - mean * mean).clamp_min_(0.0)
        inv = torch.rsqrt(var + self.norm.eps)
        buf = torch.empty_like(xd)
        torch.sub(xd, mean.unsqueeze(-1), out=buf)
        buf.mul_(inv.unsqueeze(-1)).mul_(self.norm.weight.double()).add_(self.norm.bias.double())
        return buf.to(x.dtype)
