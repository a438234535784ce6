import torch
import torch.nn as nn


class Model(nn.Module):
    """Exact integer row dot products: int32 (N, L) x int32 (N, L) -> int64 (N,)."""

    def __init__(self):
        super().__init__()

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a.to(torch.int64) * b.to(torch.int64)).sum(dim=1)


def get_inputs():
    a = torch.randint(0, 100, (128, 256), dtype=torch.int32)
    b = torch.randint(0, 100, (128, 256), dtype=torch.int32)
    return [a, b]


def get_init_inputs():
    return []
