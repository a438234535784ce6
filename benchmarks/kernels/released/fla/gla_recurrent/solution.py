from fla.ops.gla import fused_recurrent_gla  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, k, v, g):
        return fused_recurrent_gla(q, k, v, g)[0]
