import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 2
seq = 6
dim = 96
n_groups = 3


class Model(nn.Module):
    """Gated grouped RMSNorm as used at the end of a Mamba-2 mixer."""

    def __init__(self, dim, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate

    def forward(self, x, z):
        if not self.norm_before_gate:
            x = x * F.silu(z)
        xg = x.reshape(*x.shape[:-1], self.n_groups, -1)
        rstd = torch.rsqrt(xg.square().mean(-1, keepdim=True) + self.eps)
        y = (xg * rstd).reshape(x.shape) * self.weight
        if self.norm_before_gate:
            y = y * F.silu(z)
        return y


def get_inputs():
    return [torch.randn(batch, seq, dim), torch.randn(batch, seq, dim)]


def get_init_inputs():
    return [dim, n_groups]
