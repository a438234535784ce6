import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Group sums as a product with a block indicator; everything stays two-dimensional."""

    def __init__(self, dim, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.n_groups = n_groups
        self.eps = eps
        self.norm_before_gate = norm_before_gate

    def forward(self, x, z):
        D = x.shape[-1]
        gs = D // self.n_groups
        gate = z * torch.sigmoid(z)
        u = x if self.norm_before_gate else x * gate
        u2 = u.reshape(-1, D)
        member = torch.arange(D, device=x.device) // gs == torch.arange(self.n_groups, device=x.device)[:, None]
        ms = (u2 * u2) @ member.to(x.dtype).t() / gs
        r = torch.pow(ms + self.eps, -0.5)
        y = u2 * torch.repeat_interleave(r, gs, 1) * self.weight
        y = y.reshape(x.shape)
        return y * gate if self.norm_before_gate else y
