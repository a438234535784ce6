import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Fused residual add + RMSNorm on float16 activations (transformer decoder block).

    x, residual: float16 of the same shape [..., hidden], any number of leading dims (at least one),
    hidden = the constructor's argument (any size >= 1). The last dim is dense; the leading dims may
    have any strides (slices of larger buffers), and x and residual may differ in theirs.
    Outlier channels of a few thousand are normal; |x + residual| stays below 60000.

    The sum and the norm are evaluated in float32. Returns (normed, new_residual), both float16 and
    contiguous; the inputs are left untouched.
    """

    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.float16))

    def forward(self, x, residual):
        s = x.float() + residual.float()
        inv = torch.rsqrt(s.square().mean(-1, keepdim=True) + self.eps)
        normed = s * inv * self.weight.float()
        return normed.to(torch.float16).contiguous(), s.to(torch.float16).contiguous()


def get_inputs():
    x = torch.randn(2, 4, 256).to(torch.float16)
    residual = torch.randn(2, 4, 256).to(torch.float16)
    return [x, residual]


def get_init_inputs():
    return [256, 1e-6]
