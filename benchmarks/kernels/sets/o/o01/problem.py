import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Residual add followed by a zero-centred RMSNorm (Gemma style, the gain is 1 + weight).

    Returns both the normalised activations and the updated residual stream, as a
    pre-norm transformer block needs them. Trainable: gradients are taken through both outputs.
    """

    def __init__(self, hidden_size: int, eps: float = 1e-6):
        """
        Args:
            hidden_size (int): size of the last dimension.
            eps (float): added to the mean square before the root.
        """
        super(Model, self).__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x: torch.Tensor, residual: torch.Tensor):
        """
        Args:
            x (torch.Tensor): float32, shape (..., hidden_size).
            residual (torch.Tensor): float32, the same shape as x. Inputs may have any strides.
        Returns:
            (normalised, new_residual), both of x's shape.
        """
        h = x + residual
        inv = torch.rsqrt(h.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return h * inv * (1.0 + self.weight), h


batch_size = 4
seq_len = 12
hidden_size = 384


def get_inputs():
    return [torch.randn(batch_size, seq_len, hidden_size), torch.randn(batch_size, seq_len, hidden_size)]


def get_init_inputs():
    return [hidden_size]
