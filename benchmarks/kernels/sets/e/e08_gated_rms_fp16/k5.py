import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Reads x once for the squares, widens only for the reduction."""

    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, gate):
        ms = (x * x).sum(-1, keepdim=True, dtype=torch.float32) / x.shape[-1]
        rstd = torch.rsqrt(ms + self.eps)
        return (x.float() * rstd * self.weight * F.silu(gate.float())).to(x.dtype)
