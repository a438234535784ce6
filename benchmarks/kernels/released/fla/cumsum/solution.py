from fla.ops.utils.cumsum import chunk_global_cumsum  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return chunk_global_cumsum(x)
