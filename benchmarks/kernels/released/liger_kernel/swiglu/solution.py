from torch import nn

from liger_kernel.transformers import functional  # written in triton


class ModelNew(nn.Module):
    def forward(self, a, b):
        return functional.liger_swiglu(a, b)
