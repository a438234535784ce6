import torch
from liger_kernel.transformers.functional import liger_modulated_rms_norm  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))
        self.eps = eps

    def forward(self, x, scale, shift):
        return liger_modulated_rms_norm(x, self.weight, scale, shift, self.eps)
