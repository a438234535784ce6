import math
import torch
import torch.nn as nn
import torch.nn.functional as F




class ModelNew(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.A_log = nn.Parameter(torch.log(torch.arange(1, n + 1, dtype=torch.float32)).repeat(d, 1))
        self.D = nn.Parameter(torch.ones(d))
        self.dt_bias = nn.Parameter(torch.full((d,), -2.0))

    def forward(self, u, delta, Bm, Cm, h0):
        A = -torch.exp(self.A_log)
        dt = F.softplus(delta + self.dt_bias)
        la = dt.unsqueeze(-1) * A
        x = (dt * u).unsqueeze(-1) * Bm.unsqueeze(2)
        outs, h = [], h0
        for s in range(0, u.shape[1], 8):
            # closed form inside the block: h_i = P_i (h + sum_j x_j / P_j)
            P = torch.exp(la[:, s:s + 8].cumsum(1))
            hs = P * (h.unsqueeze(1) + (x[:, s:s + 8] / P.clamp_min(1e-24)).cumsum(1))
            outs.append((hs * Cm[:, s:s + 8].unsqueeze(2)).sum(-1))
            h = hs[:, -1]
        return torch.cat(outs, 1) + u * self.D
