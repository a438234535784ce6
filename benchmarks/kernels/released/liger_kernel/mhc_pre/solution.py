from torch import nn

from liger_kernel.transformers import functional  # written in triton


class ModelNew(nn.Module):
    def forward(self, streams, weights):
        return functional.liger_mhc_pre(streams, weights)
