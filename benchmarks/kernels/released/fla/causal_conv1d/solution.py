import torch
from fla.modules.causal_conv1d.ops import causal_conv1d  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, width) / 2)
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        return causal_conv1d(x, self.weight, self.bias, activation="silu")[0]
