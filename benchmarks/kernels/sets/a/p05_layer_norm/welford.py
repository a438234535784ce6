import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        d = x.shape[-1]
        mean = torch.zeros_like(x[..., 0])
        m2 = torch.zeros_like(mean)
        for j in range(d):
            v = x[..., j]
            delta = v - mean
            mean = mean + delta / (j + 1)
            m2 = m2 + delta * (v - mean)
        inv = 1.0 / torch.sqrt(m2 / d + self.norm.eps)
        return (x - mean.unsqueeze(-1)) * inv.unsqueeze(-1) * self.norm.weight + self.norm.bias
