import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """BatchNorm over (N, C, *spatial) with running statistics, then ReLU."""

    def __init__(self, channels, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(1.0 + 0.2 * torch.randn(channels))
        self.bias = nn.Parameter(0.3 * torch.randn(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x):
        y = F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias,
                         self.training, self.momentum, self.eps)
        return torch.relu(y)


batch = 6
channels = 24
height = 14
width = 10


def get_inputs():
    return [torch.randn(batch, channels, height, width) * 1.7 + 0.4]


def get_init_inputs():
    return [channels, 1e-5, 0.2]
