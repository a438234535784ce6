from liger_kernel.transformers.fused_ce_tvd import LigerFusedCETVDLoss  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, student, teacher, target):
        return LigerFusedCETVDLoss()(student, teacher, target)
