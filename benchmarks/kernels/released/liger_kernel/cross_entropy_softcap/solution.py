from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, logits, target):
        return functional.liger_cross_entropy(logits.clone(), target, softcap=30.0, reduction="sum")
