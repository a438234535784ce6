from torch import nn

from liger_kernel.transformers import functional  # written in triton


class ModelNew(nn.Module):
    def forward(self, q, p):
        return functional.liger_tvd(q, p, reduction="batchmean")
