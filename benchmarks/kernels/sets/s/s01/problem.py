"""Gated group RMSNorm, as it stands after the scan of a Mamba-2 style block.

x and z have the same shape (..., D): any number of leading axes (also none), at
least one row. D = d_inner is any multiple of n_groups; the group width need not
be a power of two. x and z share one dtype: float32, float16 or bfloat16; the
arithmetic is float32 and the result has the dtype of x. The weight is float32.
x and z may be strided views (e.g. halves of one projection); they are finite with
magnitude up to 6e4, may be tiny or wholly zero, and are such that the result fits
their dtype. The layer is trained: gradients
with respect to x, z and the weight are taken.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """norm_before_gate=False: y = rmsnorm(x * silu(z)) * weight
    norm_before_gate=True:  y = rmsnorm(x) * weight * silu(z)
    with the mean square taken per group and eps added to the mean square."""

    def __init__(self, d_inner, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate
        self.weight = nn.Parameter(torch.ones(d_inner))

    def forward(self, x, z):
        dtype = x.dtype
        x = x.float()
        z = z.float()
        if not self.norm_before_gate:
            x = x * F.silu(z)
        g = x.unflatten(-1, (self.n_groups, -1))
        g = g * torch.rsqrt(g.square().mean(-1, keepdim=True) + self.eps)
        y = g.flatten(-2) * self.weight
        if self.norm_before_gate:
            y = y * F.silu(z)
        return y.to(dtype)


batch = 8
seq = 32
d_inner = 256
n_groups = 4


def get_inputs():
    return [torch.randn(batch, seq, d_inner), torch.randn(batch, seq, d_inner)]


def get_init_inputs():
    return [d_inner, n_groups]
