import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Fused residual add and RMSNorm in half precision (solutions are Triton kernels).

        s = x + residual (float32);  y = s * rsqrt(mean(s^2) + eps) * weight

    x, residual: finite float16 of the same shape (..., hidden), any number of leading dimensions,
    any strides, any hidden. Arithmetic is float32. Returns y and the new residual s, both rounded
    to float16 once.
    """

    def __init__(self, hidden: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(hidden))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        s = x.float() + residual.float()
        y = s * torch.rsqrt(s.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight
        return y.half(), s.half()


def get_inputs():
    return [torch.randn(2, 2, 128).half(), torch.randn(2, 2, 128).half()]


def get_init_inputs():
    return [128, 1e-6]
