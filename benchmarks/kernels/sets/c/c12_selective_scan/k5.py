import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, d_inner, d_state):
        super().__init__()
        a = torch.arange(1, d_state + 1, dtype=torch.float32).repeat(d_inner, 1)
        self.A_log = nn.Parameter(torch.log(a))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.zeros(d_inner))

    def forward(self, u, delta, Bm, Cm):
        z = (delta + self.dt_bias).double()
        dt = torch.clamp(z, min=0) + torch.log1p(torch.exp(-z.abs()))
        logp = torch.cumsum(dt.unsqueeze(-1) * -torch.exp(self.A_log.double()), dim=1)
        b = (dt * u).unsqueeze(-1) * Bm.unsqueeze(2)
        # h_t = P_t * sum_{s<=t} b_s / P_s: no sequential dependency left
        h = torch.exp(logp) * torch.cumsum(b * torch.exp(-logp), dim=1)
        y = (h * Cm.unsqueeze(2)).sum(-1)
        return (y + self.D * u).to(u.dtype)
