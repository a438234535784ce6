from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, streams, result, weights, mixed):
        return functional.liger_mhc_post_res(streams, result, weights, mixed)
