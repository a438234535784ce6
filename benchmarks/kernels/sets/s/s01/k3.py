import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Divides each gated group by its root mean square."""

    def __init__(self, d_inner, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate
        self.weight = nn.Parameter(torch.ones(d_inner))

    def forward(self, x, z):
        gate = F.silu(z.float())
        h = x.float()
        if not self.norm_before_gate:
            h = h * gate
        h = h.unflatten(-1, (self.n_groups, -1))
        width = h.shape[-1]
        rms = torch.linalg.vector_norm(h, dim=-1, keepdim=True) / width ** 0.5
        y = (h / (rms + self.eps)).flatten(-2) * self.weight
        if self.norm_before_gate:
            y = y * gate
        return y.to(x.dtype)
