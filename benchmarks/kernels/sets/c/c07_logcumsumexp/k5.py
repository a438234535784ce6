import torch
import torch.nn as nn


def _lae(a, b):
    hi = torch.maximum(a, b)
    lo = torch.minimum(a, b)
    safe = torch.where(torch.isinf(hi), torch.zeros_like(hi), hi)
    d = torch.where(torch.isinf(hi), torch.full_like(hi, float("-inf")), lo - safe)
    return hi + torch.log1p(torch.exp(d))


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        v = x.movedim(self.dim, -1).contiguous()
        n = v.shape[-1]
        step = 1
        while step < n:
            v = torch.cat([v[..., :step], _lae(v[..., step:], v[..., :-step])], dim=-1)
            step *= 2
        return v.movedim(-1, self.dim)
