import torch
import torch.nn as nn
import torch.nn.functional as F


def _gn_silu(x, w, b, G, eps):
    N, C = x.shape[:2]
    outs = []
    for g in x.reshape(N, G, C // G, -1).unbind(1):
        mean = g.mean((1, 2), keepdim=True)
        d = g - mean
        std = d.square().mean((1, 2), keepdim=True).sqrt()
        outs.append(d / (std + eps))
    y = torch.stack(outs, 1).reshape(N, C, -1) * w[:, None] + b[:, None]
    return (y * torch.sigmoid(y)).reshape(x.shape)


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    def forward(self, x):
        return _gn_silu(x, self.norm.weight, self.norm.bias, self.norm.num_groups, self.norm.eps)
