from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, streams, weights):
        return functional.liger_mhc_pre(streams, weights)
