from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, p):
        return functional.liger_tvd(q, p, reduction="batchmean")
