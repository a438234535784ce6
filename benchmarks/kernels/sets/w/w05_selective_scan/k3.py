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
        dt = F.softplus(delta + self.dt_bias)
        a = torch.exp(-dt.unsqueeze(-1) * self.A_log.exp())
        x = torch.einsum("bld,bln->bldn", dt * u, Bm)
        # carry-in becomes part of the first element
        x = torch.cat([x[:, :1] + a[:, :1] * h0.unsqueeze(1), x[:, 1:]], 1)
        L, step = u.shape[1], 1
        while step < L:
            x = torch.cat([x[:, :step], x[:, step:] + a[:, step:] * x[:, :-step]], 1)
            a = torch.cat([a[:, :step], a[:, step:] * a[:, :-step]], 1)
            step *= 2
        return torch.einsum("bldn,bln->bld", x, Cm) + self.D * u
