import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """BatchNorm1d over (batch, time) followed by SiLU; training and eval modes."""

    def __init__(self, features, eps, momentum):
        super().__init__()
        self.bn = nn.BatchNorm1d(features, eps=eps, momentum=momentum)

    def forward(self, x):
        return F.silu(self.bn(x))


BATCH = 8
FEATURES = 12
TIME = 16
EPS = 1e-5
MOMENTUM = 0.1


def get_inputs():
    return [torch.randn(BATCH, FEATURES, TIME)]


def get_init_inputs():
    return [FEATURES, EPS, MOMENTUM]
