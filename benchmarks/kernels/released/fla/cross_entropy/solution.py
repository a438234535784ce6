from fla.modules import FusedCrossEntropyLoss  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, logits, target):
        return FusedCrossEntropyLoss()(logits, target)
