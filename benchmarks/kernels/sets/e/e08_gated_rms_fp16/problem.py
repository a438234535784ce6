import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """RMSNorm gated by SiLU: float16 in and out, all arithmetic in float32, one final rounding."""

    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, gate):
        xf = x.float()
        rstd = torch.rsqrt(xf.pow(2).mean(-1, keepdim=True) + self.eps)
        return (xf * rstd * self.weight * F.silu(gate.float())).to(x.dtype)


B = 4
T = 8
D = 64
EPS = 1e-6


def get_inputs():
    return [torch.randn(B, T, D).half(), torch.randn(B, T, D).half()]


def get_init_inputs():
    return [D, EPS]
