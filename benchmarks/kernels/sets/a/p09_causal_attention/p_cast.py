import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """P and V are fed to the second GEMM in 16 bits, as flash kernels do."""

    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        S, D = q.shape[-2:]
        s = q @ k.transpose(-1, -2) / math.sqrt(D)
        s = s.masked_fill(torch.ones(S, S, dtype=torch.bool).triu(1), float("-inf"))
        p = torch.exp(s - s.amax(-1, keepdim=True))
        l = p.sum(-1, keepdim=True)
        o = p.to(torch.bfloat16).float() @ v.to(torch.bfloat16).float()
        return o / l
