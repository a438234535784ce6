from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, log_q, log_p):
        return functional.liger_jsd(log_q, log_p, beta=0.25)
