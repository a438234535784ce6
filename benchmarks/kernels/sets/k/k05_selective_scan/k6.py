import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Log-depth inclusive scan over pairs (decay, drive)."""

    def __init__(self, d_inner, d_state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1).float()).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.linspace(-5.0, -2.5, d_inner))

    def forward(self, u, dt, B, C, z):
        delta = F.softplus(dt + self.dt_bias)
        a = torch.exp(delta.unsqueeze(-1) * -torch.exp(self.A_log))
        b = (delta * u).unsqueeze(-1) * B.unsqueeze(2)
        L = u.shape[1]
        step = 1
        while step < L:
            b = torch.cat([b[:, :step], b[:, step:] + a[:, step:] * b[:, :-step]], dim=1)
            a = torch.cat([a[:, :step], a[:, step:] * a[:, :-step]], dim=1)
            step *= 2
        y = torch.einsum("bldn,bln->bld", b, C) + u * self.D
        return y * F.silu(z), b[:, -1]
