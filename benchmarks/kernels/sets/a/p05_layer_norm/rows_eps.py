import torch
import torch.nn as nn

EPS = 1e-6


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        d = x.shape[-1]
        flat = x.reshape(-1, d)
        out = []
        for i in range(0, flat.shape[0], 64):
            t = flat[i:i + 64]
            c = t - t.mean(dim=1, keepdim=True)
            var = c.square().mean(dim=1, keepdim=True)
            out.append(c * torch.rsqrt(var + EPS) * self.norm.weight + self.norm.bias)
        return torch.cat(out).view(x.shape)
