import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, d_inner: int, d_state: int):
        super().__init__()
        a = torch.arange(1, d_state + 1, dtype=torch.float32).repeat(d_inner, 1)
        self.A_log = nn.Parameter(torch.log(a))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.rand(d_inner) * 2.0 - 5.0)

    def forward(self, u, delta, z, Bm, Cm, h0):
        # Closed form without a loop: with P_t = prod_{s<=t} exp(dt_s A),
        # h_t = P_t * (h0 + sum_{s<=t} x_s / P_s).
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        logp = torch.cumsum(dt.unsqueeze(-1) * A, dim=1)  # (B, L, D, N)
        P = torch.exp(logp)
        x = (dt * u).unsqueeze(-1) * Bm.unsqueeze(2)
        h = P * (h0.unsqueeze(1) + torch.cumsum(x / P, dim=1))
        y = (h * Cm.unsqueeze(2)).sum(-1) + self.D * u
        return y * F.silu(z), h[:, -1]
