import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, num_proto, eps):
        super().__init__()
        self.proto = nn.Parameter(torch.randn(num_proto, dim))
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.eps = eps

    def forward(self, x):
        def unit(v):
            return (v / v.square().sum(1, keepdim=True).sqrt().clamp_min(self.eps)).half()
        a, b = unit(x), unit(self.proto)
        # tensor-core style: 16-bit operands, 32-bit accumulator
        return (a.float() @ b.float().t()).to(x.dtype) * self.scale
