import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Norm through the vector norm of each group."""

    def __init__(self, dim, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate

    def forward(self, x, z):
        gate = z * torch.sigmoid(z)
        if not self.norm_before_gate:
            x = x * gate
        u = x.unflatten(-1, (self.n_groups, -1))
        rms = torch.linalg.vector_norm(u, dim=-1, keepdim=True) * u.shape[-1] ** -0.5
        y = (u / (rms + self.eps)).flatten(-2) * self.weight
        return y * gate if self.norm_before_gate else y
