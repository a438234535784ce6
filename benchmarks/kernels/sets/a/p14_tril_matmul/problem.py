import torch
import torch.nn as nn


class Model(nn.Module):
    """Product of two lower triangular matrices (inputs are lower triangular and finite), any N >= 1."""

    def __init__(self):
        super().__init__()

    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return torch.tril(torch.matmul(A, B))


N = 96


def get_inputs():
    # small entries, as factors of a scaled covariance
    A = torch.tril(torch.randn(N, N)) * 1e-3
    B = torch.tril(torch.randn(N, N)) * 1e-3
    return [A, B]


def get_init_inputs():
    return []
