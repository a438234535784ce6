import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Group statistics by a (D, groups) indicator matmul in double precision."""

    def __init__(self, d_inner, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate
        self.weight = nn.Parameter(torch.ones(d_inner))

    def forward(self, x, z):
        D = x.shape[-1]
        owner = torch.arange(D, device=x.device) // (D // self.n_groups)
        ind = (owner[:, None] == torch.arange(self.n_groups, device=x.device)).double()
        xd, zd = x.double(), z.double()
        gate = zd * torch.sigmoid(zd)
        h = xd if self.norm_before_gate else xd * gate
        ms = (h * h) @ ind / (D // self.n_groups)
        y = h * torch.index_select((ms + self.eps).pow(-0.5), -1, owner) * self.weight.double()
        if self.norm_before_gate:
            y = y * gate
        return y.to(x.dtype)
