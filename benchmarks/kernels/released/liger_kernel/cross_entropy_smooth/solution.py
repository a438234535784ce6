from liger_kernel.transformers import functional  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, logits, target):
        return functional.liger_cross_entropy(logits.clone(), target, label_smoothing=0.1, lse_square_scale=1e-3)
