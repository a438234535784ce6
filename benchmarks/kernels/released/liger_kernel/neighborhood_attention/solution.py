from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return functional.liger_fused_neighborhood_attention(q, k, v, kernel_size=7)
