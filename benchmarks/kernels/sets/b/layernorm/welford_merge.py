import torch
import torch.nn as nn


class _Affine(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))


class ModelNew(nn.Module):
    """Chan/Welford merge of per-tile statistics."""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.ln = _Affine(dim)
        self.eps = eps

    def forward(self, x):
        d = x.shape[-1]
        wide = x.double()
        count, mean, m2 = 0, 0.0, 0.0
        for c in range(0, d, 500):
            t = wide[..., c:c + 500]
            n = t.shape[-1]
            tm = t.mean(-1, keepdim=True)
            ts = (t - tm).pow(2).sum(-1, keepdim=True)
            delta = tm - mean
            m2 = m2 + ts + delta * delta * (count * n / (count + n))
            mean = mean + delta * (n / (count + n))
            count += n
        inv = 1.0 / torch.sqrt(m2 / d + self.eps)
        return ((wide - mean) * inv * self.ln.weight.double() + self.ln.bias.double()).to(x.dtype)
