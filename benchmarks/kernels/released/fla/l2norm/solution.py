from torch import nn

from fla.modules.norm.l2norm import l2norm  # written in triton


class ModelNew(nn.Module):
    def forward(self, x):
        return l2norm(x)
