import torch
import torch.nn as nn


class Model(nn.Module):
    """Group norm, then swish (x * sigmoid(x)); inference only (no gradients).

    x: float32 (n, channels, h, w), contiguous, finite, magnitude up to 1e4; any n, h, w >= 1
    with more than one value per group; any number of groups that divides channels, any eps > 0,
    any weight and bias with magnitude up to 1e4.
    """

    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    def forward(self, x):
        y = self.norm(x)
        return y * torch.sigmoid(y)


n, channels, h, w = 4, 32, 16, 16


def get_inputs():
    return [torch.randn(n, channels, h, w)]


def get_init_inputs():
    return [8, channels]
