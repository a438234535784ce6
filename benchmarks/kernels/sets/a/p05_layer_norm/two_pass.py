import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        d = x.shape[-1]
        flat = x.reshape(-1, d)
        g, b = self.norm.weight, self.norm.bias
        out = []
        for i in range(0, flat.shape[0], 100):
            t = flat[i:i + 100]
            c = t - t.sum(dim=1, keepdim=True) / d
            var = (c * c).sum(dim=1, keepdim=True) / d
            out.append(c * torch.rsqrt(var + self.norm.eps) * g + b)
        return torch.cat(out).reshape(x.shape)
