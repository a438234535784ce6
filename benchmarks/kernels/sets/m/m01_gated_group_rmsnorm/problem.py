import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Gated grouped RMS normalisation, as used at the output of Mamba-2 blocks:
    the input is multiplied by SiLU(z), normalised inside groups of channels and scaled.
    """

    def __init__(self, hidden_size: int, group_size: int, eps: float = 1e-5):
        super().__init__()
        assert hidden_size % group_size == 0
        self.hidden_size = hidden_size
        self.group_size = group_size
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        """
        x, z: (..., hidden_size), float32, finite
        """
        y = x * F.silu(z)
        g = y.reshape(*y.shape[:-1], self.hidden_size // self.group_size, self.group_size)
        g = g * torch.rsqrt(g.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return g.reshape(y.shape) * self.weight


batch_size = 2
seq_len = 6
hidden_size = 128
group_size = 64


def get_inputs():
    return [torch.randn(batch_size, seq_len, hidden_size), torch.randn(batch_size, seq_len, hidden_size)]


def get_init_inputs():
    return [hidden_size, group_size]
