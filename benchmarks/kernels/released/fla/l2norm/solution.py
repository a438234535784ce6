from fla.modules.norm.l2norm import l2norm  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return l2norm(x)
