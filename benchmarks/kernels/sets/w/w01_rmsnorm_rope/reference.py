"""Fused RMSNorm and rotary position embedding for query/key heads.

x has shape (B, H, T, D) in float32, D is even; B, H, T may be any positive size
and x may have any strides.  pos has shape (B, T), int64, and holds any positions
from 0 to 4095 (not necessarily consecutive, and each batch row has its own).

Each vector x[b, h, t, :] is divided by sqrt(mean(x^2) + eps), multiplied elementwise
by the learned weight (D,), and then rotated: dimension i < D/2 is paired with
i + D/2, and the pair is turned by the angle pos * base^(-2 i / D).  The angles are
formed in float64 and their cosine and sine rounded to float32.

x may be of any magnitude from 1e-6 to 1e6, and may be zero.  Gradients with respect
to x and weight are needed.  The inputs are not to be modified.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, head_dim, eps=1e-6, base=10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.eps = eps
        self.base = base
        self.weight = nn.Parameter(torch.ones(head_dim))

    def forward(self, x, pos):
        half = self.head_dim // 2
        y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight
        inv = self.base ** (-torch.arange(half, dtype=torch.float64, device=x.device) / half)
        ang = pos.to(torch.float64)[:, None, :, None] * inv
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        a, b = y[..., :half], y[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def get_inputs():
    B, H, T, D = 2, 4, 48, 32
    x = torch.randn(B, H, T, D)
    pos = torch.arange(T).expand(B, T).contiguous()
    return [x, pos]


def get_init_inputs():
    return [32]
