from torch import nn

from fla.ops.utils.cumsum import chunk_global_cumsum  # written in triton


class ModelNew(nn.Module):
    def forward(self, x):
        return chunk_global_cumsum(x)
