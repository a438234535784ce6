from torch import nn

from liger_kernel.transformers import functional  # written in triton


class ModelNew(nn.Module):
    def forward(self, logits, target):
        return functional.liger_cross_entropy(logits, target)
