from fla.ops.linear_attn import chunk_linear_attn  # written in triton
from torch import nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return chunk_linear_attn(q, k, v, normalize=False)[0]
