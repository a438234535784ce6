import torch
import torch.nn as nn

BATCH, CHANNELS, HEIGHT, WIDTH = 2, 80, 24, 24
EPS = 1e-5


class Model(nn.Module):
    """LayerNorm over the channel axis of an NCHW tensor."""

    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(1.0 + 0.1 * torch.randn(channels))
        self.bias = nn.Parameter(0.1 * torch.randn(channels))

    def forward(self, x):
        mean = x.mean(dim=1, keepdim=True)
        var = (x - mean).pow(2).mean(dim=1, keepdim=True)
        xn = (x - mean) / torch.sqrt(var + self.eps)
        return xn * self.weight[None, :, None, None] + self.bias[None, :, None, None]


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH) + 2.0]


def get_init_inputs():
    return [CHANNELS, EPS]
