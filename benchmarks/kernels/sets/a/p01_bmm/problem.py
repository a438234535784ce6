import torch
import torch.nn as nn


class Model(nn.Module):
    """Batched matrix product: C[i] = A[i] @ B[i], any batch, M, K, N >= 1, float32."""

    def __init__(self):
        super().__init__()

    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return torch.bmm(A, B)


batch, M, K, N = 4, 48, 64, 40


def get_inputs():
    return [torch.randn(batch, M, K), torch.randn(batch, K, N)]


def get_init_inputs():
    return []
