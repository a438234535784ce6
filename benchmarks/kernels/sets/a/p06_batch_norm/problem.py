import torch
import torch.nn as nn


class Model(nn.Module):
    """BatchNorm2d (affine, running statistics, momentum 0.1); follows train()/eval(); x: (N, C, H, W)."""

    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.bn(x)


def get_inputs():
    return [torch.randn(8, 16, 12, 12)]


def get_init_inputs():
    return [16]
