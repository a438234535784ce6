import torch
from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, channels, width, width) / 6)
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, scores):
        return functional.liger_multi_token_attention(scores, self.weight, self.bias, padding=self.weight.shape[-1] // 2)
