import torch
import torch.nn as nn
import torch.nn.functional as F


def _gn_silu(x, w, b, G, eps):
    N, C = x.shape[:2]
    g = x.reshape(N, G, -1)
    var, mean = torch.var_mean(g, dim=-1, correction=0, keepdim=True)
    y = ((g - mean) * torch.rsqrt(var + eps)).reshape(N, C, -1)
    y = torch.addcmul(b[:, None], y, w[:, None])
    return F.silu(y).reshape(x.shape)


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    def forward(self, x):
        return _gn_silu(x, self.norm.weight, self.norm.bias, self.norm.num_groups, self.norm.eps)
