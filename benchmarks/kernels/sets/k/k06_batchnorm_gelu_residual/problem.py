import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Batch normalisation over (N, L) with running statistics, exact GELU, residual addition.
    """

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1):
        super(Model, self).__init__()
        self.bn = nn.BatchNorm1d(num_features, eps=eps, momentum=momentum)

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.bn(x)) + residual


batch_size = 32
num_features = 64
length = 50
eps = 1e-5
momentum = 0.1


def get_inputs():
    x = torch.randn(batch_size, num_features, length) * 1.7 + 0.3
    residual = torch.randn(batch_size, num_features, length)
    return [x, residual]


def get_init_inputs():
    return [num_features, eps, momentum]
