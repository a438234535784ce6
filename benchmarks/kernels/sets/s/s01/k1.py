import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Group RMSNorm with gate; product of input and gate formed first."""

    def __init__(self, d_inner, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate
        self.weight = nn.Parameter(torch.ones(d_inner))

    def forward(self, x, z):
        dt = x.dtype
        gate = z * torch.sigmoid(z)
        h = x if self.norm_before_gate else x * gate
        hf = h.to(torch.float32)
        shp = hf.shape
        hg = hf.reshape(*shp[:-1], self.n_groups, shp[-1] // self.n_groups)
        inv = (hg.pow(2).mean(dim=-1, keepdim=True) + self.eps).rsqrt()
        out = (hg * inv).reshape(shp) * self.weight
        if self.norm_before_gate:
            out = out * gate.to(torch.float32)
        return out.to(dt)
