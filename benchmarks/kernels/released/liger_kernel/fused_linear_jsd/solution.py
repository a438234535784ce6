import torch
from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, student, teacher, classes):
        super().__init__()
        self.student = nn.Parameter(torch.randn(classes, student) / 8)
        self.register_buffer("teacher", torch.randn(classes, teacher) / 8)

    def forward(self, x, y):
        return functional.liger_fused_linear_jsd(x, self.student, y, self.teacher)
