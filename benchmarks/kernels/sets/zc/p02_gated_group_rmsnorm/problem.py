import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Gated group RMSNorm with a residual (the tail of a Mamba-2 mixer).

        y   = x * silu(z)
        y   = y / sqrt(mean(y^2 over each group of hidden // n_groups channels) + eps)
        out = y * weight + residual

    forward(x, z, residual): all three (B, L, hidden), of one dtype, float32 or float16.
    All arithmetic is done in float32 (also for float16 inputs; y reaches 1e4, so its square
    does not fit float16); the result is rounded once, to x.dtype.

    - weight is (hidden,) float32 and may be changed between calls (it is trained elsewhere).
    - B and L are any sizes >= 1. hidden // n_groups need not be a power of two.
    - x and z are usually slices of one wide projection: their last dimension has stride 1, their
      other strides are arbitrary. residual is contiguous.
    - Values can be tiny (1e-4, padding-like rows, where eps matters) or all zero in a group.
    - The inputs are not modified. Inference only: no gradients are asked for.
    """

    def __init__(self, hidden: int, n_groups: int, eps: float):
        super().__init__()
        self.hidden = hidden
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(hidden))

    def forward(self, x: torch.Tensor, z: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        B, L, H = x.shape
        zf = z.float()
        y = x.float() * (zf * torch.sigmoid(zf))
        y = y.view(B, L, self.n_groups, H // self.n_groups) if y.is_contiguous() else y.reshape(B, L, self.n_groups, H // self.n_groups)
        y = y * torch.rsqrt(y.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        y = y.reshape(B, L, H) * self.weight + residual.float()
        return y.to(x.dtype)


B = 2
L = 8
HIDDEN = 384
N_GROUPS = 4
EPS = 1e-5


def get_inputs():
    x = torch.randn(B, L, HIDDEN)
    z = torch.randn(B, L, HIDDEN)
    residual = torch.randn(B, L, HIDDEN)
    return [x, z, residual]


def get_init_inputs():
    return [HIDDEN, N_GROUPS, EPS]
