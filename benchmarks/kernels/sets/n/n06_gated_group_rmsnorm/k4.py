import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Library norm per group; the affine weight is applied once at the end, fused with the outer gate."""

    def __init__(self, dim, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate

    def forward(self, x, z):
        gate = F.silu(z)
        outer = self.weight
        if self.norm_before_gate:
            outer = outer * gate
        else:
            x = x * gate
        parts = [F.rms_norm(p, (p.shape[-1],), eps=self.eps) for p in x.chunk(self.n_groups, -1)]
        return torch.cat(parts, -1) * outer
