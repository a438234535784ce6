import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Gated grouped RMSNorm as used at the output of a Mamba-2 mixer.
    """
    def __init__(self, hidden_size: int, n_groups: int, eps: float = 1e-5):
        """
        Initializes the layer.

        Args:
            hidden_size (int): Number of channels, divisible by n_groups.
            n_groups (int): Number of channel groups that are normalised separately.
            eps (float, optional): Added to the mean square. Defaults to 1e-5.
        """
        super(Model, self).__init__()
        self.hidden_size = hidden_size
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        """
        Applies y = rmsnorm(x * silu(z)) * weight, group by group, in float32.

        Args:
            x (torch.Tensor): Input of shape (..., hidden_size), any floating dtype.
            z (torch.Tensor): Gate, same shape and dtype as x.

        Returns:
            torch.Tensor: Output with the shape and dtype of x.
        """
        y = x.float() * F.silu(z.float())
        g = y.reshape(*y.shape[:-1], self.n_groups, self.hidden_size // self.n_groups)
        g = g * torch.rsqrt(g.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return (g.reshape(y.shape) * self.weight.float()).to(x.dtype)


batch_size = 2
seq_len = 12
hidden_size = 256
n_groups = 4


def get_inputs():
    x = torch.randn(batch_size, seq_len, hidden_size).to(torch.bfloat16)
    z = torch.randn(batch_size, seq_len, hidden_size).to(torch.bfloat16)
    return [x, z]


def get_init_inputs():
    return [hidden_size, n_groups]
