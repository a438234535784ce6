import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """GroupNorm -> SiLU -> per-channel layer scale -> residual add."""

    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        self.layer_scale = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        y = F.silu(self.norm(x))
        return x + self.layer_scale.view(1, -1, 1, 1) * y


N = 4
C = 48
H = 30
W = 30
GROUPS = 6
EPS = 1e-5


def get_inputs():
    return [torch.randn(N, C, H, W)]


def get_init_inputs():
    return [C, GROUPS, EPS]
