from torch import nn

from liger_kernel.transformers import functional  # written in triton


class ModelNew(nn.Module):
    def forward(self, log_q, log_p):
        return functional.liger_jsd(log_q, log_p, beta=0.25)
