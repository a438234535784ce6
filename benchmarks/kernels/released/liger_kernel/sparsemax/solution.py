from torch import nn

from liger_kernel.transformers import functional  # written in triton


class ModelNew(nn.Module):
    def forward(self, x):
        return functional.liger_sparsemax(x)
