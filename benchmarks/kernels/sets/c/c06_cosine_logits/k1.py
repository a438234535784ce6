import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, num_proto, eps):
        super().__init__()
        self.proto = nn.Parameter(torch.randn(num_proto, dim))
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.eps = eps

    def forward(self, x):
        x64, p64 = x.double(), self.proto.double()
        dot = x64 @ p64.t()
        nx = x64.square().sum(1).sqrt()
        npr = p64.square().sum(1).sqrt()
        sim = dot / (nx[:, None] * npr[None, :] + self.eps)
        return (self.scale * sim).to(x.dtype)
