import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        G = self.norm.num_groups
        out = torch.empty_like(x)
        for n in range(N):
            for g in range(G):
                ch = slice(g * (C // G), (g + 1) * (C // G))
                t = x[n, ch]
                mean = t.mean()
                var = (t - mean).square().mean()
                y = (t - mean) * torch.rsqrt(var + self.norm.eps)
                y = y * self.norm.weight[ch, None, None] + self.norm.bias[ch, None, None]
                e = torch.exp(y)
                out[n, ch] = y * (e / (1.0 + e))
        return out
