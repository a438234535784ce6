from fla.ops.gla import chunk_gla  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, k, v, g):
        return chunk_gla(q, k, v, g)[0]
