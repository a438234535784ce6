import torch
import torch.nn as nn


class Model(nn.Module):
    """LayerNorm over the last axis (size dim), affine, eps 1e-5; any leading axes, dim >= 2."""

    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs():
    return [torch.randn(32, 20, 96)]


def get_init_inputs():
    return [96]
