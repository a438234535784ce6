import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """mish(x) = x * tanh(softplus(x)), elementwise, any shape."""

    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.tanh(F.softplus(x))


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return []
