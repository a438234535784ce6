import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels, 1, 1))

    def forward(self, x):
        z = F.conv2d(x, self.conv.weight, bias=self.bias.flatten(), padding=self.conv.padding)
        return z * torch.clamp(z + 3.0, 0.0, 6.0) / 6.0
