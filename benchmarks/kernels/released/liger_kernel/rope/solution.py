from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, k, cos, sin):
        return functional.liger_rope(q, k, cos, sin)
