from torch import nn

from fla.modules import FusedCrossEntropyLoss  # written in triton


class ModelNew(nn.Module):
    def forward(self, logits, target):
        return FusedCrossEntropyLoss()(logits, target)
