from torch import nn

from liger_kernel.transformers import functional  # written in triton


class ModelNew(nn.Module):
    def forward(self, logits, target):
        return functional.liger_cross_entropy(logits.clone(), target, label_smoothing=0.1, lse_square_scale=1e-3)
