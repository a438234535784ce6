import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Closed form: with P the running product of decays, h = P * cumsum(drive / P)."""

    def __init__(self, d_inner, d_state):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1).float()).repeat(d_inner, 1))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.linspace(-5.0, -2.5, d_inner))

    def forward(self, u, dt, B, C, z):
        delta = F.softplus(dt + self.dt_bias)
        log_p = torch.cumsum(delta.unsqueeze(-1) * -torch.exp(self.A_log), dim=1)
        drive = (delta * u).unsqueeze(-1) * B.unsqueeze(2)
        h = torch.exp(log_p) * torch.cumsum(drive * torch.exp(-log_p), dim=1)
        y = (h * C.unsqueeze(2)).sum(-1) + self.D * u
        return y * F.silu(z), h[:, -1]
