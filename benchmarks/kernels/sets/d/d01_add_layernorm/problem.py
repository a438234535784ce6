import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Adds a residual to the input and normalises over the last dimension
    (layer normalisation with a learned scale and shift).
    """

    def __init__(self, dim: int, eps: float):
        super(Model, self).__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x: float32 tensor of shape (..., dim).
            residual: float32 tensor of the same shape.
        Returns:
            float32 tensor of the same shape.
        """
        h = x + residual
        return F.layer_norm(h, (self.dim,), self.weight, self.bias, self.eps)


batch_size = 64
seq_len = 16
dim = 384
eps = 1e-5


def get_inputs():
    return [torch.randn(batch_size, seq_len, dim), torch.randn(batch_size, seq_len, dim)]


def get_init_inputs():
    return [dim, eps]
