from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, log_q, p):
        return functional.liger_kl_div(log_q, p, reduction="batchmean")
